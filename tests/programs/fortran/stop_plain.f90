! smpi: ranks 2
! smpi: requires gfortran
! smpi: requires smpi
! smpi: expect-exit 0
! smpi: expect-stderr-contains rank 1 ended without MPI_Finalize
! smpi: expect-stderr-contains stop_plain.f90:15
! A STOP without a code before MPI_Finalize is named with its rank and line.
program stop_plain
    use mpi
    implicit none
    integer :: ierror, rank

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 1) stop
    call MPI_Finalize(ierror)
end program
! smpi: verified mpi/finalize-missing
