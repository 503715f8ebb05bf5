! smpi: ranks 2
! smpi: requires smpi
! smpi: verify --keep-going
! smpi: expect-no-finding
! smpi: expect-complete
! smpi: expect-executions zero=1 infinite=1
! A loop that counts its polls comes back to where it was if the program says that the counter does not matter.
program ignored
  use mpi
  implicit none
  integer :: rank, ierr, request, value
  integer, save :: polls = 0
  logical :: flag

  value = 0
  flag = .false.
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MC_ignore(polls, 4)
  if (rank == 0) then
    call MPI_Irecv(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, ierr)
    do while (.not. flag)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierr)
      polls = polls + 1
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program ignored
