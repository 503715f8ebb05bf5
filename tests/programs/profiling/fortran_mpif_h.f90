! smpi: ranks 2
! smpi: library parts/count.c
! smpi: compile-args -Wl,--no-as-needed
! smpi: expect-stdout tool of rank 0: sent 3, received 0, levels 3, depth 1
! smpi: expect-stdout tool of rank 1: sent 0, received 4, levels 3, depth 1
! A tool in C sees the calls of a Fortran program once; calls of the profiling names pass it by (MPI 5.0 section 15.2.1).
program main
    implicit none
    include 'mpif.h'
    integer :: rank, ierr
    integer :: buffer(3)
    integer :: status(MPI_STATUS_SIZE)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Pcontrol(1)
    buffer = rank
    if (rank == 0) then
        call MPI_Send(buffer, 3, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
        call PMPI_Send(buffer, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    else
        call MPI_Recv(buffer, 3, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierr)
        call MPI_Recv(buffer, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierr)
    end if
    call MPI_Pcontrol(2)
    call MPI_Finalize(ierr)
end program main
