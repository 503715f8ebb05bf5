  ! The type that a status has in the module mpi_f08, for the conversions.
  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE
    integer :: MPI_TAG
    integer :: MPI_ERROR
    integer, private :: internal(5)
  end type MPI_Status
  external :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN
  external :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN
  external :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN
  external :: MPI_NULL_COPY_FN, MPI_DUP_FN, MPI_NULL_DELETE_FN
  external :: MPI_CONVERSION_FN_NULL
  interface
    subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
      import
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer, intent(out) :: ierror
    end subroutine MPI_Status_f2f08
    subroutine MPI_Status_f082f(f08_status, f_status, ierror)
      import
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine MPI_Status_f082f
  end interface
  interface MPI_Sizeof
    subroutine MPI_Sizeof_f08ts(x, size, ierror) bind(C, name="mpi_sizeof_f08ts_")
      import
      type(*), dimension(..) :: x
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine MPI_Sizeof_f08ts
  end interface MPI_Sizeof
  interface
    subroutine PMPI_Status_f2f08(f_status, f08_status, ierror)
      import
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer, intent(out) :: ierror
    end subroutine PMPI_Status_f2f08
    subroutine PMPI_Status_f082f(f08_status, f_status, ierror)
      import
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer, intent(out) :: ierror
    end subroutine PMPI_Status_f082f
  end interface
  interface PMPI_Sizeof
    subroutine PMPI_Sizeof_f08ts(x, size, ierror) bind(C, name="pmpi_sizeof_f08ts_")
      import
      type(*), dimension(..) :: x
      integer, intent(out) :: size
      integer, intent(out) :: ierror
    end subroutine PMPI_Sizeof_f08ts
  end interface PMPI_Sizeof
  interface
    subroutine MPI_F_sync_reg(buf)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
    end subroutine MPI_F_sync_reg
    subroutine PMPI_F_sync_reg(buf)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
    end subroutine PMPI_F_sync_reg
  end interface

