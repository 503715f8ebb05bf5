! The same for variables of procedures: arrays, types, equivalence, associate, automatic arrays, sections and copies.
module fields
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0)
    integer :: rank, ierr
    type point
        real(dp) :: x(3)
        integer :: id
    end type
contains
    subroutine check(n)
        integer, intent(in) :: n
        integer :: numbers(12), single, overlay(8), other
        real :: grid(4, 3), same(5)
        real(dp) :: auto(n), wide(6)
        complex(dp) :: z(2)
        logical :: flag
        character(10) :: text
        type(point) :: points(4)
        integer, allocatable :: list(:)
        equivalence (overlay, same)
        other = 1 - rank
        if (rank == 1) then
            call take(40)
            return
        end if
        numbers = 0; single = 1; overlay = 2; grid = 3; auto = 4; wide = 5; z = 6; flag = .true.; text = 'text'
        points = point([1d0, 2d0, 3d0], 4)
        allocate(list(5), source=0)
        call MPI_Send(numbers, 12, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers, 13, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(numbers(5), 8, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers(5), 9, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(single, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(single, 2, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(same, 5, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(overlay, 8, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(overlay, 9, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(grid(1, 2), 8, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(grid(1, 2), 9, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(grid(2, :), 3, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(grid(2:3, 1), 2, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(auto, n, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(wide, 6, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(wide, 7, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(z, 2, MPI_DOUBLE_COMPLEX, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(z, 5, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(flag, 1, MPI_LOGICAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(flag, 2, MPI_LOGICAL, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(text, 10, MPI_CHARACTER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(text, 11, MPI_CHARACTER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(points(3), 64, MPI_BYTE, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(points(3), 65, MPI_BYTE, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call MPI_Send(points%id, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send([1, 2, n], 3, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers + 1, 12, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers(12:1:-1), 12, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(n, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(list, 5, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(list, 6, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        call pass(wide, 6)
        block
            integer :: inner(20)
            inner = 1
            call MPI_Send(inner, 20, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
            call MPI_Send(inner, 21, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        end block
        associate (part => numbers(3:4))
            call MPI_Send(part, 2, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        end associate
        call nested()
        call finish(other)
    contains
        subroutine nested()
            call MPI_Send(wide, 6, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
            call MPI_Send(wide(2), 6, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! beyond
        end subroutine
    end subroutine

    ! An argument: the variable is the caller's.
    subroutine pass(values, count)
        integer, intent(in) :: count
        real(dp), intent(in) :: values(count)
        call MPI_Send(values, count, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(values(2), count, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr) ! beyond
    end subroutine

    subroutine finish(other)
        integer, intent(in) :: other
        integer :: last
        last = 0
        call MPI_Send(last, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine take(most)
        integer, intent(in) :: most
        integer :: index, status(MPI_STATUS_SIZE)
        character, save :: room(4096)
        do index = 1, most
            call MPI_Recv(room, 4096, MPI_PACKED, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
            if (status(MPI_TAG) == 1) return
        end do
    end subroutine
end module

program main
    use fields
    implicit none
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call check(7)
    call MPI_Finalize(ierr)
end program
