! Files of Fortran that are made, closed, opened again, and removed are put back; so are scratch files.
! smpi: ranks 3
! smpi: expect-no-finding
! smpi: expect-complete
! smpi: expect-executions zero=2 infinite=2
program names_fortran
  use mpi
  implicit none
  integer :: ierror, rank, first, second, value
  logical :: there

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  if (rank == 0) then
    inquire (file='names_fortran.txt', exist=there)
    if (there) stop 3
    open (10, file='names_fortran.txt', status='new', action='write')
    write (10, *) 7
    close (10)
    open (12, status='scratch', action='readwrite')
    write (12, *) 8
    first = receive()
    open (10, file='names_fortran.txt', status='old', position='append', action='write')
    write (10, *) first
    close (10)
    rewind (12)
    read (12, *) value
    if (value /= 8) stop 4
    second = receive()
    open (11, file='names_fortran.txt', status='old', action='read')
    read (11, *) value
    if (value /= 7) stop 5
    read (11, *) value
    if (value /= first) stop 6
    read (11, *, end=1) value
    stop 7
1   close (11, status='delete')
    inquire (file='names_fortran.txt', exist=there)
    if (there) stop 8
    close (12)
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Finalize(ierror)

contains

  integer function receive()
    integer :: ierror
    call MPI_Recv(receive, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end function
end program
