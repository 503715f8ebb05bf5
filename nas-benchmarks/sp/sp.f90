! SP: flow equations advanced in time by an implicit scheme that is factored by axis and made diagonal,
! so that only scalar systems are left to solve, with five diagonals each.
!
! A time step solves  (I + dt Kx) (I + dt Ky) (I + dt Kz) du = dt * residual.  Along one axis the inviscid
! flux carries waves: a disturbance of the entropy and one of either transverse velocity move with the
! flow, and two sound waves move with the flow plus or minus the speed of sound. Written in those waves the
! five equations of an axis come apart (Pulliam and Chaussee). What each axis calls a wave is a plain
! combination of
!
!     entropy, three velocities, pressure / (density * speed of sound)
!
! so du is turned into these five once, at the beginning, and back at the end. Between, an axis only
! combines the velocity along it and the pressure into sound waves, which is a rotation by 45 degrees.
! Viscosity is taken into account by its largest factor; the fourth difference is implicit as well.
!
! What ranks do: see multipartition.f90. Solving along an axis hands on two layers of points, 22 numbers a
! line on the way there and 10 on the way back.
!
! Source: NASA report RNR-94-007 (NAS-95-020), section 3 and 4.2.2; T. Pulliam and D. Chaussee, "A diagonal
! form of an implicit approximate-factorization algorithm", J. Comp. Phys. 39 (1981); reference values are
! those of NPB.
!
! Usage: smpirun -platform P -np N ./sp CLASS      N = q * q with cells of at least 3 points
include '../common/report.f90'
include '../common/flow.f90'
include '../common/multipartition.f90'
include '../common/adi.f90'

module sp_problem
  use nas_report, only: dp
  use adi, only: problem
  implicit none

  type(problem), parameter :: problems(4) = [ &
    problem('S', 12, 100, 0.015_dp, &
      [2.7470315451339479e-02_dp, 1.0360746705285417e-02_dp, 1.6235745065095532e-02_dp, &
       1.5840557224455615e-02_dp, 3.4849040609362460e-02_dp], &
      [2.7289258557377227e-05_dp, 1.0364446640837285e-05_dp, 1.6154798287166471e-05_dp, &
       1.5750704994480102e-05_dp, 3.4177666183390531e-05_dp]), &
    problem('W', 36, 400, 0.0015_dp, &
      [0.1893253733584e-02_dp, 0.1717075447775e-03_dp, 0.2778153350936e-03_dp, &
       0.2887475409984e-03_dp, 0.3143611161242e-02_dp], &
      [0.7542088599534e-04_dp, 0.6512852253086e-05_dp, 0.1049092285688e-04_dp, &
       0.1128838671535e-04_dp, 0.1212845639773e-03_dp]), &
    problem('A', 64, 400, 0.0015_dp, &
      [2.4799822399300195_dp, 1.1276337964368832_dp, 1.5028977888770491_dp, &
       1.4217816211695179_dp, 2.1292113035138280_dp], &
      [1.0900140297820550e-04_dp, 3.7343951769282091e-05_dp, 5.0092785406541633e-05_dp, &
       4.7671093939528255e-05_dp, 1.3621613399213001e-04_dp]), &
    problem('B', 102, 400, 0.001_dp, &
      [0.6903293579998e+02_dp, 0.3095134488084e+02_dp, 0.4103336647017e+02_dp, &
       0.3864769009604e+02_dp, 0.5643482272596e+02_dp], &
      [0.9810006190188e-02_dp, 0.1022827905670e-02_dp, 0.1720597911692e-02_dp, &
       0.1694479428231e-02_dp, 0.1847456263981e-01_dp])]

end module sp_problem

! The numerical method.
module sp_solver
  use nas_report, only: dp
  use flow
  use multipartition
  implicit none
  private
  public :: implicit_step

  ! The systems of an axis have three different matrices: one for all that moves with the flow, one for
  ! each sound wave. Numbers left above the diagonal: first and second neighbour for each matrix.
  integer, parameter, public :: width = 6
  ! Which of the matrices is for which component.
  integer, parameter :: matrix(5) = [1, 1, 1, 2, 3]
  real(dp), parameter :: half_root = sqrt(0.5_dp)

contains

  ! Turns the residuals of all cells into changes of the states. Collective.
  subroutine implicit_step(cells, dt)
    type(cell), intent(inout) :: cells(:)
    real(dp), intent(in) :: dt
    integer :: axis, c

    do c = 1, size(cells)
      call to_disturbances(cells(c), dt)
    end do
    do axis = 1, 3
      call solve_along(cells, axis, dt, depth=2, padded=.false., eliminate=eliminate, substitute=substitute)
    end do
    do c = 1, size(cells)
      call to_states(cells(c))
    end do
  end subroutine implicit_step

  ! Turns residuals into dt times disturbances of entropy, velocities and pressure.
  subroutine to_disturbances(this, dt)
    type(cell), intent(inout) :: this
    real(dp), intent(in) :: dt
    integer :: i, j, k
    real(dp) :: d(5), p

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        do i = this%first(1), this%last(1)
          associate (s => this%derived(:, i, j, k))
            d = dt * this%rhs(:, i, j, k)
            p = gamma1 * (d(5) - s(1) * d(2) - s(2) * d(3) - s(3) * d(4) + s(kinetic) * d(1))
            this%rhs(1, i, j, k) = d(1) - p / s(sound)**2
            this%rhs(2:4, i, j, k) = (d(2:4) - s(1:3) * d(1)) * s(inverse_density)
            this%rhs(5, i, j, k) = p * s(inverse_density) / s(sound)
          end associate
        end do
      end do
    end do
  end subroutine to_disturbances

  ! The inverse: turns disturbances, with waves along the last axis, into changes of density, momentum
  ! and energy.
  subroutine to_states(this)
    type(cell), intent(inout) :: this
    integer :: i, j, k
    real(dp) :: d(5), density, p

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        do i = this%first(1), this%last(1)
          associate (s => this%derived(:, i, j, k))
            d = this%rhs(:, i, j, k)
            call merge_waves(3, d)
            density = this%u(1, i, j, k)
            p = density * s(sound) * d(5)
            d(1) = d(1) + p / s(sound)**2
            d(2:4) = density * d(2:4)
            this%rhs(1, i, j, k) = d(1)
            this%rhs(2:4, i, j, k) = d(2:4) + s(1:3) * d(1)
            this%rhs(5, i, j, k) = s(1) * d(2) + s(2) * d(3) + s(3) * d(4) + s(kinetic) * d(1) + p / gamma1
          end associate
        end do
      end do
    end do
  end subroutine to_states

  ! Combines the velocity along an axis and the pressure into the two sound waves of the axis. They are
  ! put last, where the three components before them move with the flow.
  pure subroutine split_waves(axis, d)
    integer, intent(in) :: axis
    real(dp), intent(inout) :: d(5)
    real(dp) :: velocity, p

    velocity = d(1 + axis)
    p = d(5)
    d(1 + axis) = d(4)
    d(4) = half_root * (p + velocity)
    d(5) = half_root * (p - velocity)
  end subroutine split_waves

  ! The inverse.
  pure subroutine merge_waves(axis, d)
    integer, intent(in) :: axis
    real(dp), intent(inout) :: d(5)
    real(dp) :: forward, backward

    forward = d(4)
    backward = d(5)
    d(4) = d(1 + axis)
    d(1 + axis) = half_root * (forward - backward)
    d(5) = half_root * (forward + backward)
  end subroutine merge_waves

  ! Eliminates the two lower diagonals in a cell. Going through the points in ascending order meets the
  ! predecessors of a point first, along any axis.
  subroutine eliminate(this, axis, dt)
    class(cell), intent(inout) :: this
    integer, intent(in) :: axis
    real(dp), intent(in) :: dt
    integer :: j, k, place(3)

    do k = this%first(3), this%last(3)
      do j = this%first(2), this%last(2)
        place = [this%first(1), j, k] + this%offset
        call eliminate_row(axis, this%n, dt, this%stride(axis), this%position(this%first(1), j, k), &
                           this%last(1) - this%first(1) + 1, this%weights(-2, place(axis)), &
                           merge(1, 0, axis == 1), this%derived, this%upper, this%rhs)
      end do
    end do
  end subroutine eliminate

  ! Eliminates in `length` points from `start`; arguments as in flow's add_axis. On the way, disturbances
  ! are turned from waves along the previous axis into waves along this one.
  pure subroutine eliminate_row(axis, n, dt, stride, start, length, weights, step, derived, upper, rhs)
    integer, intent(in) :: axis, n, stride, start, length, step
    real(dp), intent(in) :: dt, weights(-2:2, *), derived(8, *)
    real(dp), intent(inout) :: upper(3, 2, *), rhs(5, *)
    real(dp) :: first, second, bound(-1:1), w(-2:2), lower(3), diagonal(3), above(3), d(5)
    integer :: i, p, l, r

    first = dt * 0.5_dp * (n - 1)
    second = dt * real(n - 1, dp)**2
    do i = 0, length - 1
      p = start + i
      l = p - stride
      r = p + stride
      d = rhs(:, p)
      if (axis > 1) call merge_waves(axis - 1, d)
      call split_waves(axis, d)

      ! Coefficients: waves at their speeds, an upper bound of the viscous terms, the fourth difference.
      w = dt * damping * weights(:, 1 + i * step)
      bound = second * (diffusion(axis) + viscosity * conductivity * &
                        [derived(inverse_density, l), derived(inverse_density, p), derived(inverse_density, r)])
      lower = w(-1) - bound(-1) - first * wave_speeds(derived(axis, l), derived(sound, l))
      diagonal = w(0) + 1 + 2 * bound(0)
      above = w(1) - bound(1) + first * wave_speeds(derived(axis, r), derived(sound, r))

      lower = lower - w(-2) * upper(:, 1, l - stride)
      diagonal = 1 / (diagonal - w(-2) * upper(:, 2, l - stride) - lower * upper(:, 1, l))
      upper(:, 1, p) = (above - lower * upper(:, 2, l)) * diagonal
      upper(:, 2, p) = w(2) * diagonal
      rhs(:, p) = (d - w(-2) * rhs(:, l - stride) - lower(matrix) * rhs(:, l)) * diagonal(matrix)
    end do
  end subroutine eliminate_row

  ! Speeds of what moves with the flow and of the two sound waves.
  pure function wave_speeds(velocity, sound_speed) result(speeds)
    real(dp), intent(in) :: velocity, sound_speed
    real(dp) :: speeds(3)

    speeds = [velocity, velocity + sound_speed, velocity - sound_speed]
  end function wave_speeds

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
    real(dp), intent(in) :: upper(3, 2, *)
    real(dp), intent(inout) :: rhs(5, *)
    integer :: p

    do p = last, last - length + 1, -1
      rhs(:, p) = rhs(:, p) - upper(matrix, 1, p) * rhs(:, p + stride) - upper(matrix, 2, p) * rhs(:, p + 2 * stride)
    end do
  end subroutine substitute_row

end module sp_solver

program sp
  use adi
  use sp_problem
  use sp_solver
  implicit none
  type(counts), parameter :: operations = counts(881.174_dp, -4683.91_dp, 11484.5_dp, -19272.4_dp)

  call run_adi('SP', problems, operations, width, implicit_step)
end program sp
