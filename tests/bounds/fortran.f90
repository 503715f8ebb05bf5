! The same for variables of modules, common blocks, saved and allocated arrays, and sections of arrays.
module fields
    use mpi
    implicit none
    real(8) :: field(8, 5)
    integer :: rank, ierr
    character(100) :: sink
contains
    subroutine check()
        integer :: numbers(12), single
        common /shared/ numbers, single
        integer, save :: saved(6) = 0
        integer, allocatable :: list(:)
        real, allocatable :: grid(:, :)
        integer :: request
        integer :: other
        other = 1 - rank
        if (rank == 1) then
            call take(24)
            return
        end if
        call MPI_Send(field, 40, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field, 41, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(field(1, 5), 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field(2, 5), 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(field(1:3, 5), 3, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field(2, 1:5), 5, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field(2, 1:5), 6, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(numbers, 12, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        ! A common block is one sequence of storage.
        call MPI_Send(numbers, 13, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers, 14, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(saved, 6, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(saved, 4, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        allocate(list(9), grid(3, 4))
        list = 0
        grid = 0
        call MPI_Send(list, 9, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(list, 10, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(list(5), 5, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(list(5), 6, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(grid(1, 2), 9, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(grid(1, 2), 10, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(grid(2:3, :), 8, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(grid(2:3, :), 9, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(grid, 12, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Isend(list, 9, MPI_INTEGER, other, 0, MPI_COMM_WORLD, request, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call MPI_Isend(list, 11, MPI_INTEGER, other, 0, MPI_COMM_WORLD, request, ierr) ! beyond
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        deallocate(list)
        call MPI_Send(grid, 12, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine take(count)
        integer, intent(in) :: count
        integer :: index
        character :: room(4096)
        do index = 1, count
            call MPI_Recv(room, 4096, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        end do
    end subroutine
end module

program main
    use fields
    implicit none
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call check()
    call MPI_Finalize(ierr)
end program
