! Data that was never written, and its right neighbours, as in c.c: what Fortran does with memory.
module cases
    use mpi
    implicit none
    integer :: rank, size, ierr
    type cell
        character :: kind
        integer :: number
        real(8) :: value
    end type
    type filled
        real(8) :: x = 1, y = 2
    end type
contains
    subroutine pass(from, count)
        real(8) :: from(*), into(1000)
        integer :: count
        if (rank == 0) call MPI_Send(from, count, MPI_DOUBLE_PRECISION, size - 1, 0, MPI_COMM_WORLD, ierr) ! unwritten
        if (rank == size - 1) then
            call MPI_Recv(into, count, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
            print *, into(1:count)
        end if
    end subroutine

    subroutine wrong_allocate()
        real(8), allocatable :: all(:)
        allocate (all(10))
        all(1:9) = 1
        call pass(all, 10)
    end subroutine

    subroutine wrong_column()
        real(8), allocatable :: all(:, :)
        allocate (all(5, 5))
        all(:, 1:2) = 1
        all(2:, 3) = 1
        call pass(all(:, 3), 5)
    end subroutine

    ! The section is copied before it is sent.
    subroutine wrong_row()
        real(8), allocatable :: all(:, :)
        allocate (all(5, 5))
        all(1:2, :) = 1
        call pass(all(3, :), 5)
    end subroutine

    subroutine wrong_sum()
        real(8), allocatable :: all(:)
        real(8) :: total(1)
        allocate (all(10))
        total(1) = sum(all)
        call pass(total, 1)
    end subroutine

    subroutine wrong_pointer()
        real(8), pointer :: all(:)
        allocate (all(3))
        all(2) = 1
        call pass(all, 3)
        deallocate (all)
    end subroutine

    subroutine wrong_reduce()
        integer, allocatable :: here(:), total(:)
        allocate (here(4), total(4))
        here(1:3) = rank
        call MPI_Allreduce(here, total, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr) ! unwritten
    end subroutine

    subroutine right_allocate()
        real(8), allocatable :: all(:)
        allocate (all(10))
        all = 1
        call pass(all, 10)
    end subroutine

    subroutine right_source()
        real(8), allocatable :: all(:), other(:)
        allocate (all(10), source=3d0)
        call pass(all, 10)
        other = [all, all]
        call pass(other, 20)
        call move_alloc(other, all)
        call pass(all, 20)
    end subroutine

    subroutine right_row()
        real(8), allocatable :: all(:, :)
        allocate (all(5, 5))
        all(3, :) = 1
        call pass(all(3, :), 5)
        call pass(all(3, 1:5:2), 3)
    end subroutine

    subroutine right_matmul()
        real(8), allocatable :: one(:, :), other(:, :)
        allocate (one(6, 6), other(6, 6))
        one = 1
        other = 2
        call pass(matmul(one, other), 36)
        call pass(transpose(one) + other, 36)
        call pass(reshape(one(2:3, :), [12]), 12)
    end subroutine

    subroutine right_derived()
        type(cell), allocatable :: cells(:)
        type(filled), allocatable :: all(:)
        integer :: i
        allocate (cells(3), all(3))
        do i = 1, 3
            cells(i) = cell('a', i, 2d0*i)
        end do
        call bytes(cells, 3*int(storage_size(cells)/8))
        call pass_filled(all)
    end subroutine

    subroutine pass_filled(all)
        type(filled) :: all(:)
        call pass([all%x, all%y], 6)
    end subroutine

    subroutine bytes(from, count)
        type(cell) :: from(*)
        integer :: count
        character :: into(100)
        if (rank == 0) call MPI_Send(from, count, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, ierr)
        if (rank == size - 1) call MPI_Recv(into, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end subroutine

    subroutine right_text()
        character(:), allocatable :: text
        character(40) :: into
        allocate (character(40) :: text)
        write (text, '(a, i0)') 'rank ', rank
        if (rank == 0) call MPI_Send(text, 40, MPI_CHARACTER, size - 1, 0, MPI_COMM_WORLD, ierr)
        if (rank == size - 1) call MPI_Recv(into, 40, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end subroutine
end module

program main
    use cases
    character(40) :: name
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    call get_command_argument(1, name)
    select case (name)
    case ('wrong_allocate'); call wrong_allocate()
    case ('wrong_column'); call wrong_column()
    case ('wrong_row'); call wrong_row()
    case ('wrong_sum'); call wrong_sum()
    case ('wrong_pointer'); call wrong_pointer()
    case ('wrong_reduce'); call wrong_reduce()
    case ('right_allocate'); call right_allocate()
    case ('right_source'); call right_source()
    case ('right_row'); call right_row()
    case ('right_matmul'); call right_matmul()
    case ('right_derived'); call right_derived()
    case ('right_text'); call right_text()
    case default; error stop
    end select
    call MPI_Finalize(ierr)
end program
