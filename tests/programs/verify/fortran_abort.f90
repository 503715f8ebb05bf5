! call abort() of a rank is a crash, found only where its message comes first.
! smpi: ranks 3
! smpi: expect-finding crash
program aborts
  use mpi_f08
  implicit none
  integer :: rank, first, second
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    call MPI_Recv(first, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(second, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (first == 2) call abort()
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
  end if
  call MPI_Finalize()
end program
