! call abort(): libgfortran puts SIGABRT back to its default action first; the message names the rank all the same.
! smpi: ranks 2
! smpi: requires smpi
! smpi: expect-exit 134
! smpi: expect-stderr-contains rank 1: SIGABRT
! smpi: compile-args -g
program aborts
  use mpi_f08
  implicit none
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 1) call abort()
  call MPI_Finalize()
end program
