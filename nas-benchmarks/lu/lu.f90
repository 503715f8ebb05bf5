! LU: flow equations advanced in time by symmetric successive over-relaxation (SSOR).
!
! A time step solves  K du = dt * residual  approximately, where the matrix K of the implicit scheme
! couples each grid point to its six neighbours by 5 x 5 blocks. K is split into a diagonal D and the
! parts below and above it, and the product  (D + omega L) D^-1 (D + omega U)  stands for it: one
! sweep through the grid in ascending order, then one in descending order.
!
! What ranks do: they hold columns of the grid, nx by ny of them; all have the whole third axis. In a
! sweep a point needs the results of its three predecessors, so a rank does plane k when its neighbours
! before it have done their plane k: the work runs as a wave across the ranks, and each plane costs
! two small messages to receive and two to send. Residuals need two layers of the neighbours' states,
! which are exchanged once a step. The messages are in grid.f90.
!
! The blocks of L and U are never formed: add_coupling applies the derivative of the flux to a vector.
! The diagonal blocks are lower triangular, because inviscid fluxes do not contribute to them.
!
! Source: NASA report RNR-94-007 (NAS-95-020), section 3 and 4.2.1; reference values are those of NPB.
!
! Usage: smpirun -platform P -np N ./lu CLASS      N = nx * ny with nx / 2 <= ny <= nx
include '../common/report.f90'
include '../common/flow.f90'
include 'grid.f90'

module lu_problem
  use nas_report, only: dp
  implicit none

  type :: problem
    character :: class
    integer :: edge, steps
    real(dp) :: dt
    ! Expected: norms of the residual and of the error by component, integral over surfaces.
    real(dp) :: residuals(5), errors(5), surface
  end type problem

  type(problem), parameter :: problems(4) = [ &
    problem('S', 12, 50, 0.5_dp, &
      [1.6196343210976702e-02_dp, 2.1976745164821318e-03_dp, 1.5179927653399185e-03_dp, &
       1.5029584435994323e-03_dp, 3.4264073155896461e-02_dp], &
      [6.4223319957960924e-04_dp, 8.4144342047347926e-05_dp, 5.8588269616485186e-05_dp, &
       5.8474222595157350e-05_dp, 1.3103347914111294e-03_dp], &
      7.8418928865937083_dp), &
    problem('W', 33, 300, 1.5e-3_dp, &
      [0.1236511638192e+02_dp, 0.1317228477799e+01_dp, 0.2550120713095e+01_dp, &
       0.2326187750252e+01_dp, 0.2826799444189e+02_dp], &
      [0.4867877144216_dp, 0.5064652880982e-01_dp, 0.9281818101960e-01_dp, &
       0.8570126542733e-01_dp, 0.1084277417792e+01_dp], &
      0.1161399311023e+02_dp), &
    problem('A', 64, 250, 2.0_dp, &
      [7.7902107606689367e+02_dp, 6.3402765259692870e+01_dp, 1.9499249727292479e+02_dp, &
       1.7845301160418537e+02_dp, 1.8384760349464247e+03_dp], &
      [2.9964085685471943e+01_dp, 2.8194576365003349_dp, 7.3473412698774742_dp, &
       6.7139225687777051_dp, 7.0715315688392578e+01_dp], &
      2.6030925604886277e+01_dp), &
    problem('B', 102, 250, 2.0_dp, &
      [3.5532672969982736e+03_dp, 2.6214750795310692e+02_dp, 8.8333721850952190e+02_dp, &
       7.7812774739425265e+02_dp, 7.3087969592545314e+03_dp], &
      [1.1401176380212709e+02_dp, 8.1098963655421574_dp, 2.8480597317698308e+01_dp, &
       2.5905394567832939e+01_dp, 2.6054907504857413e+02_dp], &
      4.7887162703308227e+01_dp)]

end module lu_problem

! The numerical method.
module lu_solver
  use nas_report, only: dp
  use flow
  use lu_grid
  implicit none
  private
  public :: advance, surface_integral

  real(dp), parameter :: omega = 1.2_dp

contains

  ! Advances the states by so many time steps of length dt, and computes the last residual. `norms`
  ! gets the norms of the residual, `changes` those of the last change before relaxation. Collective.
  subroutine advance(tile, steps, dt, norms, changes)
    type(block), intent(inout) :: tile
    integer, intent(in) :: steps
    real(dp), intent(in) :: dt
    real(dp), intent(out) :: norms(5), changes(5)
    integer :: step

    do step = 1, steps
      call sweep(tile, dt, before)
      call sweep(tile, dt, behind)
      call add_change(tile)
      if (step == steps) changes = norm_of_rhs(tile)
      call exchange_states(tile)
      call residual(tile)
    end do
    norms = norm_of_rhs(tile)
  end subroutine advance

  function norm_of_rhs(tile) result(norms)
    type(block), intent(in) :: tile
    real(dp) :: norms(5), squares(5)

    squares = 0
    call add_residual_squares(tile, squares)
    norms = root_mean_square(squares, tile%n)
  end function norm_of_rhs

  subroutine add_change(tile)
    type(block), intent(inout) :: tile
    real(dp), parameter :: relaxation = 1 / (omega * (2 - omega))
    integer :: j, k

    do k = tile%first(3), tile%last(3)
      do j = tile%first(2), tile%last(2)
        associate (i1 => tile%first(1), i2 => tile%last(1))
          tile%u(:, i1:i2, j, k) = tile%u(:, i1:i2, j, k) + relaxation * tile%rhs(:, i1:i2, j, k)
        end associate
      end do
    end do
  end subroutine add_change

  ! One sweep. What a point needs comes from the side `from`: before for the sweep in ascending
  ! order, behind for the one in descending order. A plane starts when the neighbours have done theirs.
  subroutine sweep(tile, dt, from)
    type(block), intent(inout) :: tile
    real(dp), intent(in) :: dt
    integer, intent(in) :: from
    integer :: k, n

    if (from == before) then
      do k = tile%first(3), tile%last(3)
        call receive_plane(tile, k, before)
        do n = tile%first(2), tile%last(2)
          call relax_row(tile%n, dt, 1, tile%stride, tile%position(tile%first(1), n, k), &
                         tile%last(1) - tile%first(1) + 1, tile%derived, tile%rhs)
        end do
        call send_plane(tile, k, behind)
      end do
    else
      do k = tile%last(3), tile%first(3), -1
        call receive_plane(tile, k, behind)
        do n = tile%last(2), tile%first(2), -1
          call relax_row(tile%n, dt, -1, tile%stride, tile%position(tile%last(1), n, k), &
                         tile%last(1) - tile%first(1) + 1, tile%derived, tile%rhs)
        end do
        call send_plane(tile, k, before)
      end do
    end if
  end subroutine sweep

  ! Relaxes `length` points from `start` on, in ascending order if direction is 1, in descending order
  ! if it is -1. v is the residual before the first sweep, then what sweeps make of it.
  !
  !     ascending:    v = D^-1 (dt * v - omega * sum of the blocks below times their v)
  !     descending:   v = v - omega * D^-1 * sum of the blocks above times their v
  pure subroutine relax_row(n, dt, direction, stride, start, length, derived, v)
    integer, intent(in) :: n, direction, stride(3), start, length
    real(dp), intent(in) :: dt, derived(8, *)
    real(dp), intent(inout) :: v(5, *)
    real(dp) :: total(5), first, second
    integer :: p, q, i, axis

    first = direction * omega * dt * 0.5_dp * (n - 1)
    second = omega * dt * real(n - 1, dp)**2
    do i = 0, length - 1
      p = start + direction * i
      total = 0
      !GCC$ unroll 3
      do axis = 3, 1, -1
        q = p - direction * stride(axis)
        call add_coupling(axis, first, second, derived(:, q), v(:, q), total)
      end do
      if (direction == 1) then
        total = dt * v(:, p) + total
        call solve_diagonal(n, dt, derived(:, p), total)
        v(:, p) = total
      else
        call solve_diagonal(n, dt, derived(:, p), total)
        v(:, p) = v(:, p) + total
      end if
    end do
  end subroutine relax_row

  ! Adds what a change v of a neighbour's state brings: `first` times the change of the inviscid flux
  ! along the axis, `second` times that of the viscous flux and of the diffusion. The derivatives of
  ! the fluxes are taken at the neighbour's state.
  pure subroutine add_coupling(axis, first, second, state, v, total)
    integer, intent(in) :: axis
    real(dp), intent(in) :: first, second, state(8), v(5)
    real(dp), intent(inout) :: total(5)
    real(dp) :: d(3), d_pressure, d_normal, enthalpy, factor, carried

    d = v(2:4) - state(1:3) * v(1)   ! change of the velocities, times density
    d_normal = d(axis)
    d_pressure = gamma1 * (v(5) - state(1) * v(2) - state(2) * v(3) - state(3) * v(4) + state(kinetic) * v(1))
    enthalpy = gamma * state(energy) - gamma1 * state(kinetic)
    factor = second * viscosity * state(inverse_density)

    carried = second * diffusion(axis) + first * state(axis)

    total(1) = total(1) + second * diffusion(axis) * v(1) + first * v(1 + axis)
    total(2:4) = total(2:4) + carried * v(2:4) + (first * d_normal) * state(1:3) + factor * d
    total(5) = total(5) + carried * v(5) + first * (state(axis) * d_pressure + enthalpy * d_normal) &
             + factor * ((1 - conductivity) * (state(1) * d(1) + state(2) * d(2) + state(3) * d(3)) &
                         + third * state(axis) * d_normal + conductivity * (v(5) - state(energy) * v(1)))
    total(1 + axis) = total(1 + axis) + first * d_pressure + third * factor * d_normal
  end subroutine add_coupling

  ! Replaces v by D^-1 v. D is the identity, plus 2 dt / h^2 times the derivatives of the viscous fluxes
  ! and diffusion of all three axes at the point's own state. The axes differ in the factor 4/3 of the
  ! velocity along them, so that all velocities together get 3 + 1/3.
  pure subroutine solve_diagonal(n, dt, state, v)
    integer, intent(in) :: n
    real(dp), intent(in) :: dt, state(8)
    real(dp), intent(inout) :: v(5)
    real(dp), parameter :: shear = 3 + third
    real(dp) :: second, factor, diagonal, inverse(3), d(3)

    second = 2 * dt * real(n - 1, dp)**2
    factor = second * viscosity * state(inverse_density)
    diagonal = 1 + second * sum(diffusion)
    inverse = 1 / (diagonal + [0.0_dp, shear, 3 * conductivity] * factor) ! before they are needed: divisions are slow
    v(1) = v(1) * inverse(1)
    v(2:4) = (v(2:4) + shear * factor * state(1:3) * v(1)) * inverse(2)
    d = v(2:4) - state(1:3) * v(1)
    v(5) = (v(5) + factor * (3 * conductivity * state(energy) * v(1) &
                             - (shear - 3 * conductivity) * (state(1) * d(1) + state(2) * d(2) + state(3) * d(3)))) &
           * inverse(3)
  end subroutine solve_diagonal

  ! Integral of the pressure over six faces of a box inside the cube, by the trapezoidal rule. Collective.
  function surface_integral(tile) result(integral)
    use mpi
    type(block), intent(in) :: tile
    real(dp) :: integral, part, here
    integer :: low(3), high(3), place(3), i, j, k, axis, ierror

    low = [2, 2, 3]
    high = tile%n - [1, 2, 1]
    part = 0
    do k = 1, tile%points(3)
      do j = 1, tile%points(2)
        do i = 1, tile%points(1)
          place = [i, j, k] + tile%offset
          if (any(place < low .or. place > high)) cycle
          associate (u => tile%u(:, i, j, k))
            here = gamma1 * (u(5) - 0.5_dp * (u(2)**2 + u(3)**2 + u(4)**2) / u(1))
          end associate
          do axis = 1, 3
            if (place(axis) == low(axis) .or. place(axis) == high(axis)) then
              part = part + here * product(merge(0.5_dp, 1.0_dp, place == low .or. place == high)) / 0.5_dp
            end if
          end do
        end do
      end do
    end do
    call MPI_Allreduce(part, integral, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    integral = integral / real(tile%n - 1, dp)**2
  end function surface_integral

end module lu_solver

program lu
  use mpi
  use nas_report
  use flow
  use lu_problem
  use lu_grid
  use lu_solver
  implicit none
  type(problem) :: given
  type(report) :: run
  type(block) :: tile
  integer :: rank, ierror, settings(2)
  real(dp) :: start, elapsed, norms(5), changes(5), errors(5), squares(5), surface

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, run%ranks, ierror)
  run%class = class_argument('lu', 'SWAB')
  given = problems(index('SWAB', run%class))
  settings = [given%edge, given%steps]
  call MPI_Bcast(settings, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call MPI_Bcast(given%dt, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  call make_tile(given%edge, tile)
  if (rank == 0) print '(6a)', 'LU class ', run%class, ': ', decimal(given%steps), ' time steps, ranks: ', &
                        decimal(run%ranks)

  ! One step that does not count touches all code and data.
  call set_forcing(tile)
  call start_over
  call advance(tile, 1, given%dt, norms, changes)
  call start_over

  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  start = MPI_Wtime()
  call advance(tile, given%steps, given%dt, norms, changes)
  elapsed = MPI_Wtime() - start
  call MPI_Allreduce(elapsed, run%seconds, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)

  squares = 0
  call add_error_squares(tile, squares)
  errors = root_mean_square(squares, given%edge)
  surface = surface_integral(tile)
  if (rank == 0) call conclude
  call MPI_Bcast(run%verified, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (.not. run%verified) stop 1, quiet=.true.

contains

  ! Sets the initial states and computes their residual.
  subroutine start_over
    tile%rhs = 0
    call set_initial_values(tile)
    call exchange_states(tile)
    call residual(tile)
  end subroutine start_over

  ! Compares with the reference values and prints the report.
  subroutine conclude
    logical :: agree(3)
    real(dp) :: n

    print '(a, 5es12.4)', 'RMS of the last change:', changes
    agree(1) = all_close('RMS of the residual', norms, given%residuals)
    agree(2) = all_close('RMS of the error', errors, given%errors)
    agree(3) = all_close('Surface integral', [surface], [given%surface])
    n = given%edge
    run%benchmark = 'LU'
    run%edge = given%edge
    run%iterations = given%steps
    run%operations = given%steps * (1984.77_dp * n**3 - 10923.3_dp * n**2 + 27770.9_dp * n - 144010)
    run%verified = all(agree)
    call print_report(run)
  end subroutine conclude

end program lu
