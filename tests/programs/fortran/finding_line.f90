! smpi: ranks 2
! smpi: verify
! smpi: expect-finding deadlock
! smpi: expect-stderr-contains finding_line.f90:18
! A deadlock is reported with the line of the Fortran program.
program finding_line
  use mpi
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call wait_for_nobody
  call MPI_Finalize(ierr)
contains
  subroutine wait_for_nobody
    integer :: value
    ! Nobody sends.

    call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine wait_for_nobody
end program finding_line
