! The line of a message that nearly is the one that a rank waits for, in Fortran with the module mpi_f08.
! smpi: ranks 4
! smpi: compile-args -g
! smpi: requires gfortran smpi
! smpi: expect-exit 3
! smpi: expect-stderr-contains ; rank 1 has sent it one with tag 8 ( 
! smpi: expect-stderr-contains deadlock_lines_f08.f90:19)
! smpi: expect-stderr-contains , started by the call at 
! smpi: expect-stderr-contains deadlock_lines_f08.f90:21;
program deadlock_lines_f08
    use mpi_f08
    implicit none
    type(MPI_Request) :: request
    integer :: rank, value

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    value = rank
    if (rank == 1) call MPI_Send(value, 1, MPI_INTEGER, 3, 8, MPI_COMM_WORLD)
    if (rank == 3) then
        call MPI_Irecv(value, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
    end if
    call MPI_Finalize()
end program
