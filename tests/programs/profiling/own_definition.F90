! smpi: ranks 2
! smpi: sources parts/count.c
! smpi: expect-stdout tool of rank 0: sent 3, received 0, levels 0, depth 1
! smpi: expect-stdout tool of rank 1: sent 0, received 3, levels 0, depth 1
! A C function of the program itself is a tool as well.
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
