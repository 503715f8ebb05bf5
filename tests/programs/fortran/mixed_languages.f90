! smpi: ranks 2
! smpi: sources parts/in_c.c
! smpi: expect-pass
! Handles, attributes, statuses and functions go from Fortran to C and back (MPI 5.0 §19.3): parts/in_c.c is the other half.
module kept
  implicit none
  integer :: deletions = 0
contains
  subroutine doubled(oldcomm, keyval, state, value, copied, flag, ierror)
    use mpi
    integer :: oldcomm, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: state, value, copied
    logical :: flag
    copied = 2 * value
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine doubled

  subroutine counted(comm, keyval, value, state, ierror)
    use mpi
    integer :: comm, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, state
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine counted

  subroutine add(in, inout, len, datatype)
    integer :: len, datatype
    integer :: in(len), inout(len)
    inout = in + inout
  end subroutine add
end module kept

program mixed_languages
  use mpi
  use kept
  implicit none
  interface
    ! An address that C set, the number behind the address that C gets, and what C did with the rest.
    subroutine c_half(comm, fortran_key, c_key, op, status, found) bind(C, name="c_half")
      use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t
      integer(c_int) :: comm, fortran_key, c_key, op, status(*)
      integer(c_intptr_t) :: found(*)
    end subroutine c_half
  end interface
  integer, parameter :: wide = MPI_ADDRESS_KIND
  integer :: rank, ierr, comm, copy, key, c_key, op, status(MPI_STATUS_SIZE), got, failed
  integer(kind=MPI_ADDRESS_KIND) :: value, found(6)
  logical :: flag
  failed = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_create_keyval(doubled, counted, key, 0_wide, ierr)
  call MPI_Comm_set_attr(comm, key, -21_wide, ierr)
  call MPI_Op_create(add, .true., op, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, 1 - rank, 4, got, 1, MPI_INTEGER, 1 - rank, 4, comm, status, ierr)
  found = 0
  call c_half(comm, key, c_key, op, status, found)
  if (found(1) /= -21) call fail('C gets the address of a number that Fortran set')
  if (found(2) /= 1 - rank .or. found(3) /= 4) call fail('a status in C')
  if (found(4) /= 30) call fail('a reduction function of Fortran called from C')
  if (found(5) /= -42) call fail('a copy function of Fortran called from C')
  call MPI_Comm_get_attr(comm, c_key, value, flag, ierr)
  if (.not. flag .or. value /= found(6)) call fail('Fortran gets the address that C set')
  call MPI_Comm_dup(comm, copy, ierr)
  call MPI_Comm_get_attr(copy, c_key, value, flag, ierr)
  if (.not. flag .or. value /= found(6) + 4) call fail('a copy function of C')
  call MPI_Comm_free(copy, ierr)
  call MPI_Comm_free(comm, ierr)
  ! Of the copies in C and here, and of the original.
  if (deletions /= 3) call fail('delete functions')
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Comm_free_keyval(c_key, ierr)
  call MPI_Op_free(op, ierr)
  call MPI_Reduce(failed, got, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. got == 0) print '(a)', 'PASS mixed_languages'
  call MPI_Finalize(ierr)

contains

  subroutine fail(what)
    character(len=*), intent(in) :: what
    failed = failed + 1
    print '(2a)', 'FAIL: ', what
  end subroutine fail

end program mixed_languages
