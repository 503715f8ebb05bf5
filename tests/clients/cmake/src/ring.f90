! A number goes round and every rank adds one; stops with an error when it comes back wrong.
program ring
    use mpi
    implicit none
    integer :: rank, ranks, number, error

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    number = 0
    if (rank > 0) call MPI_Recv(number, 1, MPI_INTEGER, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    number = number + 1
    call MPI_Send(number, 1, MPI_INTEGER, mod(rank + 1, ranks), 5, MPI_COMM_WORLD, error)
    if (rank == 0) then
        call MPI_Recv(number, 1, MPI_INTEGER, ranks - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        if (number /= ranks) error stop 1
    end if
    call MPI_Finalize(error)
end program
