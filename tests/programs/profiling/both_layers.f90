! smpi: ranks 2
! smpi: library parts/both.c
! smpi: expect-stdout tool of rank 0: 1 send, through Fortran 1
! smpi: expect-stdout tool of rank 1: 0 send, through Fortran 0
! A tool that has the names of both languages, as tools for several MPI libraries do, sees a call once.
program main
    use mpi
    implicit none
    integer :: rank, ierr, buffer(3), status(MPI_STATUS_SIZE)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    buffer = rank
    if (rank == 0) then
        call MPI_Send(buffer, 3, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    else
        call MPI_Recv(buffer, 3, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierr)
    end if
    call MPI_Finalize(ierr)
end program main
