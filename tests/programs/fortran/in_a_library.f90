! smpi: ranks 2
! smpi: library parts/in_library.f90
! smpi: expect-pass
! A library in Fortran uses MPI_IN_PLACE and MPI_STATUS_IGNORE, as the program does.
program in_a_library
  use mpi
  implicit none
  integer :: rank, ierr, value
  external :: library_sum
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  value = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call library_sum(value)
  if (rank == 0 .and. value == 6) print '(a)', 'PASS in_a_library'
  call MPI_Finalize(ierr)
end program in_a_library
