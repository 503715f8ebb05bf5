! The flow problem that LU, BT and SP solve, each with its own method: the compressible Navier-Stokes
! equations on a cube, in a form made for benchmarking, on a grid of n x n x n points.
!
! A state u has five components: density, three of momentum, energy. The equations are
!
!     du/dt = - sum over the axes d of  d/dx_d [ F_d(u) - V_d(u) ]  +  forcing
!
! with the inviscid flux F_d (mass, momentum and energy carried along axis d, and the pressure) and
! the viscous flux V_d. The forcing is chosen so that a known polynomial is the steady solution: hence
! the error of a computed solution is known too. On the faces of the cube the solution is given.
!
! Space is discretised by central differences, of second order for the fluxes, and damped by a fourth
! difference. This file has one block of the grid: whoever uses it keeps its halo, two points wide,
! up to date. It knows nothing of ranks, apart from adding up norms at the end.
!
! Source: NASA report RNR-94-007 (NAS-95-020), section 3: equations, constants, exact solution.
module flow
  use mpi
  use nas_report, only: dp
  implicit none
  private
  public :: make_block, set_initial_values, set_forcing, derive, residual
  public :: add_residual_squares, add_error_squares, root_mean_square

  ! Gas constants c1 to c5 of the report: ratio of specific heats, that less one, and the viscosity
  ! and conductivity factors, of which only the products occur.
  real(dp), parameter, public :: gamma = 1.4_dp, gamma1 = 0.4_dp
  real(dp), parameter, public :: viscosity = 0.1_dp        ! c3 c4
  real(dp), parameter, public :: conductivity = 1.96_dp    ! c1 c5, relative to the viscosity
  ! Diffusion added to all components, by axis, and the factor of the fourth difference.
  real(dp), parameter, public :: diffusion(3) = [0.75_dp, 0.75_dp, 1.0_dp]
  real(dp), parameter, public :: damping = 0.25_dp * maxval(diffusion)
  ! A velocity along an axis meets 4/3 of the viscosity: a third more than one across it.
  real(dp), parameter, public :: third = 1 / 3.0_dp

  ! Coefficients of the exact solution, a row for each component: constant, then one column for each
  ! of x, y, z, x^2, y^2, z^2, ... z^4.
  real(dp), parameter :: coefficients(5, 13) = transpose(reshape([real(dp) :: &
    2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02_dp, 0.01_dp, 0.03_dp, 0.5_dp, 0.4_dp, 0.3_dp, &
    1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01_dp, 0.03_dp, 0.02_dp, 0.4_dp, 0.3_dp, 0.5_dp, &
    2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04_dp, 0.03_dp, 0.05_dp, 0.3_dp, 0.5_dp, 0.4_dp, &
    2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03_dp, 0.05_dp, 0.04_dp, 0.2_dp, 0.1_dp, 0.3_dp, &
    5.0, 4.0, 3.0, 2.0, 0.1_dp, 0.4_dp, 0.3_dp, 0.05_dp, 0.04_dp, 0.03_dp, 0.1_dp, 0.3_dp, 0.2_dp], [13, 5]))

  integer, parameter, public :: halo = 2

  ! Places in the quantities derived from a state: velocities along the three axes are 1 to 3.
  integer, parameter, public :: inverse_density = 4, pressure = 5
  integer, parameter, public :: kinetic = 6     ! half the squared speed
  integer, parameter, public :: energy = 7      ! per mass
  integer, parameter, public :: sound = 8       ! its speed

  ! A box of grid points. Arrays have the component first and then local coordinates, in which the
  ! box is 1:points(axis) and the halo surrounds it; offset + local coordinate is the place in the
  ! whole grid, 1:n. Kernels see the points as one list: a step along an axis is `stride` entries.
  type, public :: block
    integer :: n = 0
    integer :: points(3) = 0, offset(3) = 0
    integer :: first(3) = 0, last(3) = 0  ! the unknowns: points that are not on a face of the cube
    integer :: stride(3) = 0
    real(dp), allocatable :: u(:, :, :, :)        ! states
    real(dp), allocatable :: derived(:, :, :, :)  ! quantities derived from them, up to 1 into the halo
    real(dp), allocatable :: forcing(:, :, :, :)
    real(dp), allocatable :: rhs(:, :, :, :)      ! residual, then what the solver makes of it
    real(dp), allocatable :: weights(:, :)        ! of the fourth difference, see damping_weights
  contains
    procedure :: position => list_position
  end type block

contains

  ! A block of `points` points behind `offset` in a grid of n^3. The states are the gas at rest.
  subroutine make_block(this, n, points, offset)
    type(block), intent(out) :: this
    integer, intent(in) :: n, points(3), offset(3)
    integer :: low, high(3), g

    this%n = n
    this%points = points
    this%offset = offset
    this%first = max(1, 2 - offset)
    this%last = min(points, n - 1 - offset)
    low = 1 - halo
    high = points + halo
    this%stride = [1, points(1) + 2 * halo, (points(1) + 2 * halo) * (points(2) + 2 * halo)]
    allocate (this%u(5, low:high(1), low:high(2), low:high(3)), source=1.0_dp)
    allocate (this%rhs, mold=this%u)
    allocate (this%forcing, mold=this%u)
    allocate (this%derived(8, low:high(1), low:high(2), low:high(3)), source=0.0_dp)
    this%rhs = 0
    this%forcing = 0
    allocate (this%weights(-2:2, 2:n - 1))
    do g = 2, n - 1
      this%weights(:, g) = damping_weights(n, g)
    end do
  end subroutine make_block

  ! Place of a point in the list that kernels see.
  pure integer function list_position(this, i, j, k)
    class(block), intent(in) :: this
    integer, intent(in) :: i, j, k

    list_position = 1 + dot_product([i, j, k] - (1 - halo), this%stride)
  end function list_position

  ! The exact solution at a point of the unit cube.
  pure function exact(x) result(u)
    real(dp), intent(in) :: x(3)
    real(dp) :: u(5)
    integer :: axis

    u = coefficients(:, 1)
    do axis = 1, 3
      u = u + x(axis) * (coefficients(:, 1 + axis) + x(axis) * (coefficients(:, 4 + axis) &
            + x(axis) * (coefficients(:, 7 + axis) + x(axis) * coefficients(:, 10 + axis))))
    end do
  end function exact

  ! Place of local coordinates in the unit cube.
  pure function location(this, i, j, k) result(x)
    type(block), intent(in) :: this
    integer, intent(in) :: i, j, k
    real(dp) :: x(3)

    x = real([i, j, k] + this%offset - 1, dp) / (this%n - 1)
  end function location

  ! States that are exact on the faces of the cube, and between them blended from the six faces.
  subroutine set_initial_values(this)
    type(block), intent(inout) :: this
    integer :: i, j, k, axis
    real(dp) :: x(3), low(3), high(3), along(5, 3)

    do k = 1, this%points(3)
      do j = 1, this%points(2)
        do i = 1, this%points(1)
          x = location(this, i, j, k)
          if (any(x == 0) .or. any(x == 1)) then
            this%u(:, i, j, k) = exact(x)
            cycle
          end if
          do axis = 1, 3
            low = x
            high = x
            low(axis) = 0
            high(axis) = 1
            along(:, axis) = (1 - x(axis)) * exact(low) + x(axis) * exact(high)
          end do
          this%u(:, i, j, k) = 1 - (1 - along(:, 1)) * (1 - along(:, 2)) * (1 - along(:, 3))
        end do
      end do
    end do
  end subroutine set_initial_values

  ! The forcing that makes the exact solution a steady one. Overwrites the states.
  subroutine set_forcing(this)
    type(block), intent(inout) :: this
    integer :: i, j, k, low(3), high(3)

    low = max(1 - halo, 1 - this%offset)
    high = min(this%points + halo, this%n - this%offset)
    do k = low(3), high(3)
      do j = low(2), high(2)
        do i = low(1), high(1)
          this%u(:, i, j, k) = exact(location(this, i, j, k))
        end do
      end do
    end do
    this%forcing = 0
    call residual(this)
    this%forcing = -this%rhs
    this%rhs = 0
  end subroutine set_forcing

  ! Computes the derived quantities of all points, and of the halo next to them, from the states.
  subroutine derive(this)
    type(block), intent(inout) :: this
    integer :: i, j, k, low(3), high(3), outside
    real(dp) :: velocity(3), p, inverse, speed2

    low = max(0, 1 - this%offset)
    high = min(this%points + 1, this%n - this%offset)
    do k = low(3), high(3)
      do j = low(2), high(2)
        outside = count([j < 1, j > this%points(2), k < 1, k > this%points(3)])
        if (outside == 2) cycle ! nobody needs the edges of the halo
        do i = merge(low(1), 1, outside == 0), merge(high(1), this%points(1), outside == 0)
          associate (u => this%u(:, i, j, k), derived => this%derived(:, i, j, k))
            inverse = 1 / u(1)
            velocity = u(2:4) * inverse
            speed2 = 0.5_dp * (velocity(1)**2 + velocity(2)**2 + velocity(3)**2)
            p = gamma1 * (u(5) - speed2 * u(1))
            derived(1:3) = velocity
            derived(inverse_density) = inverse
            derived(pressure) = p
            derived(kinetic) = speed2
            derived(energy) = u(5) * inverse
            derived(sound) = sqrt(gamma * p * inverse)
          end associate
        end do
      end do
    end do
  end subroutine derive

  ! Weights of the fourth difference at place g of 2:n-1 along an axis, for the points g-2 to g+2.
  ! Beside a face the points that it would need beyond are left out.
  pure function damping_weights(n, g) result(weights)
    integer, intent(in) :: n, g
    real(dp) :: weights(-2:2)

    weights = [1, -4, 6, -4, 1]
    if (g == 2) weights = [0, 0, 5, -4, 1]
    if (g == 3) weights = [0, -4, 6, -4, 1]
    if (g == n - 2) weights = [1, -4, 6, -4, 0]
    if (g == n - 1) weights = [1, -4, 5, 0, 0]
  end function damping_weights

  ! Computes the derived quantities, and the right-hand side of the equations for all unknowns: the
  ! rate of change of the states. Needs an up-to-date halo.
  subroutine residual(this)
    type(block), intent(inout) :: this
    integer :: j, k, axis, place(3), step, length, start

    length = this%last(1) - this%first(1) + 1
    call derive(this)
    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        start = this%position(this%first(1), j, k)
        this%rhs(:, this%first(1):this%last(1), j, k) = this%forcing(:, this%first(1):this%last(1), j, k)
        place = [this%first(1), j, k] + this%offset
        do axis = 1, 3
          step = merge(1, 0, axis == 1)
          call add_axis(axis, this%n, this%stride(axis), start, length, this%weights(-2, place(axis)), step, &
                        this%u, this%derived, this%rhs)
        end do
      end do
    end do
  end subroutine residual

  ! Adds what one axis contributes to the residuals of `length` points in a row from `start`. Their
  ! neighbours along the axis are `stride` away. The weights of the fourth difference are those of the
  ! first point; for the next ones they are `step` columns further on.
  pure subroutine add_axis(axis, n, stride, start, length, weights, step, u, derived, rhs)
    integer, intent(in) :: axis, n, stride, start, length, step
    real(dp), intent(in) :: weights(-2:2, *), u(5, *), derived(8, *)
    real(dp), intent(inout) :: rhs(5, *)
    real(dp) :: first, second, total(5), normal(-1:1)
    integer :: i, p, l, r, m, w

    first = 0.5_dp * (n - 1)       ! of the first difference: 1 / 2h
    second = real(n - 1, dp)**2    ! of the second difference: 1 / h^2
    do i = 0, length - 1
      p = start + i
      l = p - stride
      r = p + stride
      w = 1 + i * step
      normal = [derived(axis, l), derived(axis, p), derived(axis, r)] ! velocity along the axis

      do m = 1, 5
        total(m) = rhs(m, p) + diffusion(axis) * second * (u(m, r) - 2 * u(m, p) + u(m, l)) &
                 - damping * (weights(-2, w) * u(m, l - stride) + weights(-1, w) * u(m, l) + weights(0, w) * u(m, p) &
                              + weights(1, w) * u(m, r) + weights(2, w) * u(m, r + stride))
      end do

      total(1) = total(1) - first * (u(1 + axis, r) - u(1 + axis, l))
      do m = 2, 4
        total(m) = total(m) - first * (u(m, r) * normal(1) - u(m, l) * normal(-1)) &
                 + viscosity * second * (derived(m - 1, r) - 2 * derived(m - 1, p) + derived(m - 1, l))
      end do
      total(5) = total(5) - first * (normal(1) * (u(5, r) + derived(pressure, r)) &
                                     - normal(-1) * (u(5, l) + derived(pressure, l))) &
               + viscosity * second * &
               ((1 - conductivity) * (derived(kinetic, r) - 2 * derived(kinetic, p) + derived(kinetic, l)) &
                + conductivity * (derived(energy, r) - 2 * derived(energy, p) + derived(energy, l)) &
                + third / 2 * (normal(1)**2 - 2 * normal(0)**2 + normal(-1)**2))
      rhs(:, p) = total
      rhs(1 + axis, p) = total(1 + axis) - first * (derived(pressure, r) - derived(pressure, l)) &
                         + third * viscosity * second * (normal(1) - 2 * normal(0) + normal(-1))
    end do
  end subroutine add_axis

  ! Adds the squares of the residuals, by component.
  pure subroutine add_residual_squares(this, squares)
    type(block), intent(in) :: this
    real(dp), intent(inout) :: squares(5)
    integer :: i, j, k

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        do i = this%first(1), this%last(1)
          squares = squares + this%rhs(:, i, j, k)**2
        end do
      end do
    end do
  end subroutine add_residual_squares

  ! Adds the squares of the differences from the exact solution, by component.
  pure subroutine add_error_squares(this, squares)
    type(block), intent(in) :: this
    real(dp), intent(inout) :: squares(5)
    integer :: i, j, k

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        do i = this%first(1), this%last(1)
          squares = squares + (this%u(:, i, j, k) - exact(location(this, i, j, k)))**2
        end do
      end do
    end do
  end subroutine add_error_squares

  ! Root of the mean over all unknowns of all ranks, from each rank's sum of squares. Collective.
  function root_mean_square(squares, n) result(norm)
    real(dp), intent(in) :: squares(5)
    integer, intent(in) :: n
    real(dp) :: norm(5)
    integer :: ierror

    call MPI_Allreduce(squares, norm, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    norm = sqrt(norm / real(n - 2, dp)**3)
  end function root_mean_square

end module flow
