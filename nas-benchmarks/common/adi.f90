! The frame of SP and BT: set up the flow problem, advance it by implicit steps, check the result and
! report. The two differ in what an implicit step does.
module adi
  use mpi
  use nas_report
  use flow
  use multipartition
  implicit none
  private
  public :: run_adi

  type, public :: problem
    character :: class
    integer :: edge, steps
    real(dp) :: dt
    real(dp) :: residuals(5), errors(5)  ! expected norms of the residual and of the error, by component
  end type problem

  ! Floating-point operations of a step, as the benchmarks count them: factors of n^3, n^2, n and 1.
  type, public :: counts
    real(dp) :: cubic, square, linear, constant
  end type counts

  abstract interface
    ! Turns the residuals of all cells into changes of the states. Collective.
    subroutine implicit_step(cells, dt)
      import :: cell, dp
      type(cell), intent(inout) :: cells(:)
      real(dp), intent(in) :: dt
    end subroutine implicit_step
  end interface

contains

  ! Runs the benchmark `name` and ends the program. `width` is what its solver keeps for each point.
  subroutine run_adi(name, problems, operations, width, step)
    character(len=2), intent(in) :: name
    type(problem), intent(in) :: problems(4)
    type(counts), intent(in) :: operations
    integer, intent(in) :: width
    procedure(implicit_step) :: step
    type(problem) :: given
    type(report) :: run
    type(cell), allocatable :: cells(:)
    integer :: rank, ierror, c
    real(dp) :: start, elapsed, residuals(5), errors(5)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, run%ranks, ierror)
    run%benchmark = name
    run%class = class_argument(name, 'SWAB')
    given = problems(index('SWAB', run%class))
    call MPI_Bcast(given%steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call MPI_Bcast(given%dt, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
    call MPI_Bcast(given%edge, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call make_cells(name, given%edge, width, cells)
    if (rank == 0) print '(7a)', name, ' class ', run%class, ': ', decimal(given%steps), ' time steps, ranks: ', &
                          decimal(run%ranks)

    do c = 1, size(cells)
      call set_forcing(cells(c)%block)
      call set_initial_values(cells(c)%block)
    end do
    ! One step that does not count touches all code and data.
    call advance(cells, 1, given%dt, step)
    do c = 1, size(cells)
      call set_initial_values(cells(c)%block)
    end do

    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    start = MPI_Wtime()
    call advance(cells, given%steps, given%dt, step)
    elapsed = MPI_Wtime() - start
    call MPI_Reduce(elapsed, run%seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierror)

    call find_norms(cells, residuals, errors)
    if (rank == 0) then
      run%verified = all([all_close('RMS of the residual', residuals, given%residuals), &
                          all_close('RMS of the error', errors, given%errors)])
      run%edge = given%edge
      run%iterations = given%steps
      run%operations = given%steps * (((operations%cubic * given%edge + operations%square) * given%edge &
                                       + operations%linear) * given%edge + operations%constant)
      call print_report(run)
    end if
    call MPI_Bcast(run%verified, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
    if (.not. run%verified) stop 1, quiet=.true.
  end subroutine run_adi

  ! Advances the states by so many time steps of length dt. Collective.
  subroutine advance(cells, steps, dt, step)
    type(cell), intent(inout) :: cells(:)
    integer, intent(in) :: steps
    real(dp), intent(in) :: dt
    procedure(implicit_step) :: step
    integer :: n, c

    do n = 1, steps
      call find_residuals(cells)
      call step(cells, dt)
      do c = 1, size(cells)
        call add_change(cells(c))
      end do
    end do
  end subroutine advance

  subroutine find_residuals(cells)
    type(cell), intent(inout) :: cells(:)
    integer :: c

    call exchange_states(cells)
    do c = 1, size(cells)
      call residual(cells(c)%block)
    end do
  end subroutine find_residuals

  subroutine add_change(this)
    type(cell), intent(inout) :: this
    integer :: j, k

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        associate (i1 => this%first(1), i2 => this%last(1))
          this%u(:, i1:i2, j, k) = this%u(:, i1:i2, j, k) + this%rhs(:, i1:i2, j, k)
        end associate
      end do
    end do
  end subroutine add_change

  ! Norms of the residual and of the difference from the exact solution. Collective.
  subroutine find_norms(cells, residuals, errors)
    type(cell), intent(inout) :: cells(:)
    real(dp), intent(out) :: residuals(5), errors(5)
    real(dp) :: squares(5)
    integer :: c

    squares = 0
    do c = 1, size(cells)
      call add_error_squares(cells(c)%block, squares)
    end do
    errors = root_mean_square(squares, cells(1)%n)

    call find_residuals(cells)
    squares = 0
    do c = 1, size(cells)
      call add_residual_squares(cells(c)%block, squares)
    end do
    residuals = root_mean_square(squares, cells(1)%n)
  end subroutine find_norms

end module adi
