! The same for Fortran: kinds, complex numbers, types, common blocks, equivalence, sections, allocated memory.
module fields
    use mpi
    implicit none
    integer, parameter :: dp = kind(1d0), long = selected_int_kind(18)
    integer :: rank, other, ierr
    type point
        real(dp) :: x(3)
        integer :: id
        logical :: fixed
    end type
    type, extends(point) :: charged
        real :: charge
    end type
    real(dp) :: field(8, 0:4)
    real :: coarse(6)
    complex(dp) :: waves(4)
    type(charged) :: points(5)
    character(8) :: names(3)
    class(point), allocatable :: any_point
contains
    subroutine statics()
        integer, save :: saved(6) = 0, kept(4)
        real, save :: as_reals(4)
        equivalence (kept, as_reals)
        integer :: number
        real :: weight
        common /shared/ number, weight
        call MPI_Send(field, 40, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field, 40, MPI_REAL8, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field, 40, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field, 40, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(field(3, 2), 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field(3, 2), 8, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(field(1:8, 2), 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(field(2, :), 5, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(coarse, 6, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(coarse, 3, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(coarse, 3, MPI_COMPLEX, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(waves, 4, MPI_DOUBLE_COMPLEX, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(waves, 8, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(waves, 4, MPI_COMPLEX, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(names, 24, MPI_CHARACTER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(saved, 6, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(saved, 3, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr) ! other type
        kept = 3
        call MPI_Send(kept, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(as_reals, 4, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(kept, 2, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr) ! other type
        number = 1
        weight = 2
        call MPI_Send(number, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(weight, 1, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        ! Elsewhere it is an integer.
        call MPI_Send(weight, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(weight, 1, MPI_INTEGER2, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(points(2)%x, 3, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(points(2)%x, 3, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(points(3)%id, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(points(3)%id, 1, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(points(3)%fixed, 1, MPI_LOGICAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(points(4)%charge, 1, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(points(4)%charge, 1, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(points%charge, 5, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    ! The same common block in other words.
    subroutine in_other_words()
        integer :: both(2)
        common /shared/ both
        call MPI_Send(both, 2, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine locals(n)
        integer, intent(in) :: n
        integer :: numbers(12), overlay(4)
        integer(long) :: big(3)
        integer(1) :: tiny(8)
        real :: same(4), auto(n)
        real(dp) :: wide(6)
        complex :: z(2)
        logical :: flags(3)
        type(point) :: own(2)
        real, allocatable :: list(:)
        equivalence (overlay, same)
        numbers = 0; big = 1; tiny = 2; overlay = 3; auto = 4; wide = 5; z = 6; flags = .true.
        own = point([1d0, 2d0, 3d0], 4, .false.)
        allocate(list(5), source=0.)
        allocate(charged :: any_point)
        call MPI_Send(numbers, 12, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers, 12, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(numbers, 6, MPI_2INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(numbers(2:12:2), 6, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(big, 3, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(big, 3, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(tiny, 8, MPI_INTEGER1, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(same, 4, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(overlay, 4, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(overlay, 2, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(auto, n, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(wide, 6, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(wide, 6, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(z, 2, MPI_COMPLEX, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(z, 4, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(z, 2, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(flags, 3, MPI_LOGICAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(flags, 3, MPI_INTEGER, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(flags, 3, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(own(2)%x(2), 2, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(own(2)%x(2), 2, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Send(own(1), 64, MPI_BYTE, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(list, 5, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(any_point%x, 3, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send([1., 2., real(n)], 3, MPI_REAL, other, 0, MPI_COMM_WORLD, ierr)
        call pass(wide, 6)
        call structures(own)
    end subroutine

    ! An argument: the variable is the caller's.
    subroutine pass(values, count)
        integer, intent(in) :: count
        real(dp), intent(in) :: values(count)
        call MPI_Send(values, count, MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Send(values(2), count - 1, MPI_INTEGER8, other, 0, MPI_COMM_WORLD, ierr) ! other type
    end subroutine

    subroutine structures(points)
        type(point), intent(in) :: points(:)
        integer :: kinds(3), new
        integer(MPI_ADDRESS_KIND) :: places(3), base
        call MPI_Get_address(points(1), base, ierr)
        call MPI_Get_address(points(1)%x, places(1), ierr)
        call MPI_Get_address(points(1)%id, places(2), ierr)
        call MPI_Get_address(points(1)%fixed, places(3), ierr)
        places = places - base
        kinds = [MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_LOGICAL]
        call MPI_Type_create_struct(3, [3, 1, 1], places, kinds, new, ierr)
        call MPI_Type_commit(new, ierr)
        call MPI_Send(points(1), 1, new, other, 0, MPI_COMM_WORLD, ierr)
        call MPI_Type_free(new, ierr)
        kinds(2) = MPI_REAL
        call MPI_Type_create_struct(3, [3, 1, 1], places, kinds, new, ierr)
        call MPI_Type_commit(new, ierr)
        call MPI_Send(points(1), 1, new, other, 0, MPI_COMM_WORLD, ierr) ! other type
        call MPI_Type_free(new, ierr)
    end subroutine

    subroutine take()
        integer :: status(MPI_STATUS_SIZE)
        character, save :: room(4096)
        do
            call MPI_Recv(room, 4096, MPI_PACKED, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
            if (status(MPI_TAG) == 1) return
        end do
    end subroutine
end module

program main
    use fields
    implicit none
    integer :: last
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    other = 1 - rank
    if (rank == 1) then
        call take()
    else
        call statics()
        call in_other_words()
        call locals(7)
        last = 0
        call MPI_Send(last, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr)
    end if
    call MPI_Finalize(ierr)
end program
