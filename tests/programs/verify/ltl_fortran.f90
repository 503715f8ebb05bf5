! Propositions of a Fortran program: a variable and a function.
! smpi: ranks 2
! smpi: verify --ltl=G(asked->F(answered))&&G(F(asked))
! smpi: expect-no-finding
! smpi: expect-complete
module state
  implicit none
  logical, save, volatile :: asked = .false.
  logical, save, volatile :: has_answer = .false.
end module

logical function answered()
  use state
  implicit none
  answered = has_answer
end function

program proposes
  use mpi_f08
  use state
  implicit none
  logical, external :: answered
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 1) then
    call MC_proposition('asked ', asked)
    call MC_proposition_function('answered', answered)
  end if
  do
    if (rank == 0) then
      call MPI_Recv(rank, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Send(rank, 0, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
    else
      has_answer = .false.
      asked = .true.
      call MPI_Send(rank, 0, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
      asked = .false.
      call MPI_Recv(rank, 0, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      has_answer = .true.
      call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    end if
  end do
end program
