! Accesses to buffers that belong to MPI, one on each line that says "race". INTERFACE is 0 for mpif.h, 1 for `use mpi` and
! 2 for `use mpi_f08`.
#if INTERFACE == 2
#define REQUEST type(MPI_Request)
#define STATUS_SHAPE
#define STATUS type(MPI_Status)
#else
#define REQUEST integer
#define STATUS integer
#define STATUS_SHAPE (MPI_STATUS_SIZE)
#endif
module work
  implicit none
  integer, save :: fixed(12)
contains
  subroutine given(values, pending)
#if INTERFACE == 1
    use mpi
#elif INTERFACE == 2
    use mpi_f08
#endif
#if INTERFACE == 0
    include 'mpif.h'
#endif
    integer, intent(inout) :: values(:)
    REQUEST, intent(inout) :: pending
    STATUS :: status STATUS_SHAPE
    integer :: ierror
    if (values(1) > 0) print '(a)', 'early'          ! race
    call MPI_Wait(pending, status, ierror)
    if (values(1) < 0) print '(a)', 'negative'
  end subroutine given
end module work

program main
#if INTERFACE == 1
  use mpi
#elif INTERFACE == 2
  use mpi_f08
#endif
  use work
  implicit none
#if INTERFACE == 0
  include 'mpif.h'
#endif
  integer :: rank, ierror, total
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  total = 0
  if (rank == 0) then
    call receives(total)
    call sends()
    call persistent(total)
  else
    call partner()
  end if
  if (total == 12345) print '(a)', 'unlikely'
  call MPI_Finalize(ierror)

contains

  subroutine receives(total)
    integer, intent(inout) :: total
    integer :: local(12), scalar
    integer, allocatable :: heap(:)
    character(len=80) :: text
    REQUEST :: requests(4)
    STATUS :: status STATUS_SHAPE
    integer :: ierror, i
    allocate (heap(12))
    local = 0
    heap = 0
    scalar = 0
    call MPI_Irecv(local, 12, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(fixed, 12, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Irecv(heap, 12, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Irecv(scalar, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, requests(4), ierror)
    if (local(2) > 0) total = total + 1              ! race
    total = total + sum(local)                       ! race
    total = total + fixed(3)                         ! race
    total = total + maxval(heap)                     ! race
    if (scalar > 0) total = total + 2                ! race
    write (text, '(i4)') local(3)                    ! race
    write (text, '(12i3)') local                     ! race
    write (text, '(4i3)') fixed(2:8:2)               ! race
    text = '15 16'
    read (text, *) scalar                            ! race
    read (text, *) heap(2:4:2)                       ! race
    do i = 2, 4
      call MPI_Wait(requests(i), status, ierror)
    end do
    total = total + fixed(3) + heap(3) + scalar
    call given(local, requests(1))
  end subroutine receives

  subroutine sends()
    integer :: local(12), ierror
    REQUEST :: pending
    STATUS :: status STATUS_SHAPE
    local = 5
    call MPI_Isend(local, 12, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, pending, ierror)
    local(4) = 6                                     ! race
    local = 7                                        ! race
    call MPI_Wait(pending, status, ierror)
  end subroutine sends

  subroutine persistent(total)
    integer, intent(inout) :: total
    integer :: local(12), ierror
    REQUEST :: kept
    STATUS :: status STATUS_SHAPE
    local = 0
    call MPI_Recv_init(local, 12, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, kept, ierror)
    local(5) = 1
    call MPI_Start(kept, ierror)
    total = total + local(5)                         ! race
    call MPI_Wait(kept, status, ierror)
    total = total + local(5)
    call MPI_Request_free(kept, ierror)
  end subroutine persistent

  subroutine partner()
    integer :: local(12), ierror, i
    STATUS :: status STATUS_SHAPE
    local = 0
    do i = 1, 3
      call MPI_Send(local, 12, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
    end do
    call MPI_Send(local, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
    call MPI_Recv(local, 12, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierror)
    call MPI_Send(local, 12, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
  end subroutine partner
end program main
