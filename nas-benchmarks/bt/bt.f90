! BT: flow equations advanced in time by an implicit scheme that is factored by axis, which leaves
! block tridiagonal systems to solve, with blocks of 5 x 5.
!
! A time step solves  (I + dt Kx) (I + dt Ky) (I + dt Kz) du = dt * residual  (Beam and Warming). Along a
! line of n points, each factor is a system of n blocks of equations, in which a point is coupled to its
! two neighbours by the derivatives of the inviscid and viscous fluxes:
!
!     lower(p) x(p-1) + diagonal(p) x(p) + above(p) x(p+1) = rhs(p)
!
! Going up the line, each block equation is solved for its x(p) in terms of x(p+1), which eliminates it from
! the next one; going down, the solutions are put in.
!
! What ranks do: see multipartition.f90. Solving along an axis hands on one layer of points, 30 numbers a
! line on the way there (a block and the right-hand side) and 5 on the way back.
!
! Source: NASA report RNR-94-007 (NAS-95-020), section 3 and 4.2.3; R. Beam and R. Warming, "An implicit
! factored scheme for the compressible Navier-Stokes equations", AIAA J. 16 (1978); reference values are
! those of NPB.
!
! Usage: smpirun -platform P -np N ./bt CLASS      N = q * q with cells of at least 3 points
include '../common/report.f90'
include '../common/flow.f90'
include '../common/multipartition.f90'
include '../common/adi.f90'

module bt_problem
  use nas_report, only: dp
  use adi, only: problem
  implicit none

  type(problem), parameter :: problems(4) = [ &
    problem('S', 12, 60, 0.010_dp, &
      [1.7034283709541311e-01_dp, 1.2975252070034097e-02_dp, 3.2527926989486055e-02_dp, &
       2.6436421275166801e-02_dp, 1.9211784131744430e-01_dp], &
      [4.9976913345811579e-04_dp, 4.5195666782961927e-05_dp, 7.3973765172921357e-05_dp, &
       7.3821238632439731e-05_dp, 8.9269630987491446e-04_dp]), &
    problem('W', 24, 200, 0.0008_dp, &
      [0.1125590409344e+03_dp, 0.1180007595731e+02_dp, 0.2710329767846e+02_dp, &
       0.2469174937669e+02_dp, 0.2638427874317e+03_dp], &
      [0.4419655736008e+01_dp, 0.4638531260002_dp, 0.1011551749967e+01_dp, &
       0.9235878729944_dp, 0.1018045837718e+02_dp]), &
    problem('A', 64, 200, 0.0008_dp, &
      [1.0806346714637264e+02_dp, 1.1319730901220813e+01_dp, 2.5974354511582465e+01_dp, &
       2.3665622544678910e+01_dp, 2.5278963211748344e+02_dp], &
      [4.2348416040525025_dp, 4.4390282496995698e-01_dp, 9.6692480136345650e-01_dp, &
       8.8302063039765474e-01_dp, 9.7379901770829278_dp]), &
    problem('B', 102, 200, 0.0003_dp, &
      [1.4233597229287254e+03_dp, 9.9330522590150238e+01_dp, 3.5646025644535285e+02_dp, &
       3.2485447959084092e+02_dp, 3.2707541254659363e+03_dp], &
      [5.2969847140936856e+01_dp, 4.4632896115670668_dp, 1.3122573342210174e+01_dp, &
       1.2006925323559144e+01_dp, 1.2459576151035986e+02_dp])]

end module bt_problem

! The numerical method. Blocks are stored with rows as columns: entry (column, row). So the operations
! on rows, of which there are most, go through adjacent numbers.
module bt_solver
  use nas_report, only: dp
  use flow
  use multipartition
  implicit none
  private
  public :: implicit_step

  integer, parameter, public :: width = 25 ! a block for each point is left above the diagonal

contains

  ! Turns the residuals of all cells into changes of the states. Collective.
  subroutine implicit_step(cells, dt)
    type(cell), intent(inout) :: cells(:)
    real(dp), intent(in) :: dt
    integer :: axis, c

    do c = 1, size(cells)
      cells(c)%rhs = dt * cells(c)%rhs
    end do
    do axis = 1, 3
      call solve_along(cells, axis, dt, depth=1, padded=.true., eliminate=eliminate, substitute=substitute)
    end do
  end subroutine implicit_step

  ! Eliminates the lower blocks in a cell. Going through the points in ascending order meets the
  ! predecessor of a point first, along any axis.
  subroutine eliminate(this, axis, dt)
    class(cell), intent(inout) :: this
    integer, intent(in) :: axis
    real(dp), intent(in) :: dt
    integer :: j, k

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        call eliminate_row(axis, this%n, dt, this%stride(axis), this%position(this%first(1), j, k), &
                           this%last(1) - this%first(1) + 1, this%derived, this%upper, this%rhs)
      end do
    end do
  end subroutine eliminate

  ! Eliminates in `length` points from `start`. Afterwards  x(p) = rhs(p) - upper(p) x(p+1).
  pure subroutine eliminate_row(axis, n, dt, stride, start, length, derived, upper, rhs)
    integer, intent(in) :: axis, n, stride, start, length
    real(dp), intent(in) :: dt, derived(8, *)
    real(dp), intent(inout) :: upper(5, 5, *), rhs(5, *)
    real(dp) :: first, second, lower(5, 5), system(11, 5)
    integer :: p, l, row, column

    first = dt * 0.5_dp * (n - 1)
    second = dt * real(n - 1, dp)**2
    do p = start, start + length - 1
      l = p - stride
      ! The block equation of the point: diagonal, block above it, right-hand side.
      call derivatives(axis, 0.0_dp, 2 * second, derived(:, p), system(1:5, :))
      call derivatives(axis, first, -second, derived(:, p + stride), system(6:10, :))
      call derivatives(axis, -first, -second, derived(:, l), lower)
      do row = 1, 5
        system(row, row) = system(row, row) + 1
        system(11, row) = rhs(row, p)
      end do
      ! The predecessor's equation, times the lower block, leaves this one.
      do row = 1, 5
        do column = 1, 5
          system(1:5, row) = system(1:5, row) - lower(column, row) * upper(:, column, l)
          system(11, row) = system(11, row) - lower(column, row) * rhs(column, l)
        end do
      end do
      call solve_block(system)
      upper(:, :, p) = system(6:10, :)
      rhs(:, p) = system(11, :)
    end do
  end subroutine eliminate_row

  ! The block of derivatives of the fluxes along an axis: `first` times that of the inviscid flux, `second`
  ! times that of the viscous flux and the diffusion.
  pure subroutine derivatives(axis, first, second, state, matrix)
    integer, intent(in) :: axis
    real(dp), intent(in) :: first, second, state(8)
    real(dp), intent(out) :: matrix(5, 5)
    real(dp) :: normal, enthalpy, factor, weight(3)
    integer :: m, row

    normal = state(axis)
    enthalpy = gamma * state(energy) - gamma1 * state(kinetic)
    factor = second * viscosity * state(inverse_density)
    weight = 1
    weight(axis) = 4 / 3.0_dp

    ! Mass: carried by the momentum along the axis.
    matrix(:, 1) = 0
    matrix(1, 1) = second * diffusion(axis)
    matrix(1 + axis, 1) = first

    ! Momentum: carried along, and sheared.
    do m = 1, 3
      row = 1 + m
      matrix(:, row) = 0
      matrix(1, row) = -(first * normal + factor * weight(m)) * state(m)
      matrix(row, row) = second * diffusion(axis) + first * normal + factor * weight(m)
      matrix(1 + axis, row) = matrix(1 + axis, row) + first * state(m)
    end do

    ! The pressure acts on the momentum along the axis.
    row = 1 + axis
    matrix(1, row) = matrix(1, row) + first * gamma1 * state(kinetic)
    matrix(2:4, row) = matrix(2:4, row) - first * gamma1 * state(1:3)
    matrix(5, row) = first * gamma1

    ! Energy: carried along with the work of the pressure, conducted, and made from shear.
    matrix(2:4, 5) = factor * (weight - conductivity) * state(1:3)
    matrix(1, 5) = first * normal * (gamma1 * state(kinetic) - enthalpy) - factor * conductivity * state(energy) &
                   - (matrix(2, 5) * state(1) + matrix(3, 5) * state(2) + matrix(4, 5) * state(3))
    matrix(2:4, 5) = matrix(2:4, 5) - first * gamma1 * normal * state(1:3)
    matrix(1 + axis, 5) = matrix(1 + axis, 5) + first * enthalpy
    matrix(5, 5) = second * diffusion(axis) + first * gamma * normal + factor * conductivity
  end subroutine derivatives

  ! Solves a 5 x 5 system for six right-hand sides, columns 6 to 11, by Gaussian elimination. It needs no
  ! pivoting: the diagonal dominates.
  pure subroutine solve_block(system)
    real(dp), intent(inout) :: system(11, 5)
    integer :: pivot, row

    do pivot = 1, 5
      system(pivot + 1:11, pivot) = system(pivot + 1:11, pivot) * (1 / system(pivot, pivot))
      do row = pivot + 1, 5
        system(pivot + 1:11, row) = system(pivot + 1:11, row) - system(pivot, row) * system(pivot + 1:11, pivot)
      end do
    end do
    do pivot = 5, 2, -1
      do row = 1, pivot - 1
        system(6:11, row) = system(6:11, row) - system(pivot, row) * system(6:11, pivot)
      end do
    end do
  end subroutine solve_block

  ! Finds the solutions in a cell, in descending order.
  subroutine substitute(this, axis)
    class(cell), intent(inout) :: this
    integer, intent(in) :: axis
    integer :: j, k

    do k = this%last(3), this%first(3), -1
      do j = this%last(2), this%first(2), -1
        call substitute_row(this%stride(axis), this%position(this%last(1), j, k), &
                            this%last(1) - this%first(1) + 1, this%upper, this%rhs)
      end do
    end do
  end subroutine substitute

  ! Finds the solutions in `length` points up to and including `last`.
  pure subroutine substitute_row(stride, last, length, upper, rhs)
    integer, intent(in) :: stride, last, length
    real(dp), intent(in) :: upper(5, 5, *)
    real(dp), intent(inout) :: rhs(5, *)
    integer :: p, row

    do p = last, last - length + 1, -1
      do row = 1, 5
        rhs(row, p) = rhs(row, p) - dot_product(upper(:, row, p), rhs(:, p + stride))
      end do
    end do
  end subroutine substitute_row

end module bt_solver

program bt
  use adi
  use bt_problem
  use bt_solver
  implicit none
  type(counts), parameter :: operations = counts(3478.8_dp, -17655.7_dp, 28023.7_dp, 0.0_dp)

  call run_adi('BT', problems, operations, width, implicit_step)
end program bt
