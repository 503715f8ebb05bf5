! The line of a message that nearly is the one that a rank waits for, in Fortran with the module mpi.
! smpi: ranks 4
! smpi: compile-args -g
! smpi: requires gfortran smpi
! smpi: expect-exit 3
! smpi: expect-stderr-contains MPI_Recv waits for a message from rank 1 with tag 7 in wait_for_it ( 
! smpi: expect-stderr-contains ; rank 1 has sent it one with tag 8 ( 
! smpi: expect-stderr-contains deadlock_lines_fortran.f90:17)
program deadlock_lines_fortran
    use mpi
    implicit none
    integer :: rank, code, value

    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    value = rank
    if (rank == 1) call MPI_Send(value, 1, MPI_INTEGER, 3, 8, MPI_COMM_WORLD, code)
    if (rank == 3) call wait_for_it()
    call MPI_Finalize(code)
contains
    subroutine wait_for_it()
        call MPI_Recv(value, 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    end subroutine
end program
