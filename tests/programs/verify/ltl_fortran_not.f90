! The same over `use mpi`, with a server that does not answer its second question.
! smpi: ranks 2
! smpi: verify --ltl=G(asked->F(!asked))
! smpi: expect-finding liveness
program proposes
  use mpi
  implicit none
  logical, save, volatile :: asked = .false.
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 1) call MC_proposition('asked', asked)
  if (rank == 0) then
    call MPI_Recv(rank, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Send(rank, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
    call MPI_Recv(rank, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end if
  do while (rank == 1)
    asked = .true.
    call MPI_Send(rank, 0, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
    call MPI_Recv(rank, 0, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    asked = .false.
    call MPI_Comm_size(MPI_COMM_WORLD, rank, error)
    rank = 1
  end do
  call MPI_Finalize(error)
end program
