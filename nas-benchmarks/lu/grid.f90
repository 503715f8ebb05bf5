! How LU shares out the grid, and what neighbours tell each other: two layers of states on all four
! sides once a step, and in sweeps one row of results for each plane.
module lu_grid
  use mpi
  use nas_report, only: dp, refuse, decimal
  use flow, only: block, make_block, halo
  implicit none
  private
  public :: make_tile, exchange_states, receive_plane, send_plane

  ! The four neighbours of a rank: before and behind it along the first axis and along the second.
  ! Along a face of the cube there is MPI_PROC_NULL, and nothing is sent or received.
  integer, save :: neighbour(2, 2)
  integer, parameter, public :: before = 1, behind = 2

  ! A row of results on its way: large enough for either side of a tile.
  real(dp), allocatable, save :: row(:, :)

contains

  ! Finds the grid of ranks and this rank's tile of the n^3 points.
  subroutine make_tile(n, tile)
    integer, intent(in) :: n
    type(block), intent(out) :: tile
    integer :: ranks, rank, ierror, grid(2), place(2), points(3), offset(3), axis

    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    grid = ranks_by_axis(ranks)
    if (grid(1) > 2 * grid(2)) then
      call refuse('LU cannot use '//decimal(ranks)//' ranks: expected a product nx * ny with nx / 2 <= ny <= nx, ' &
                  //'such as 4, 6, 8, 9, 12 or 16')
    end if
    if (n / grid(1) < 3) then
      call refuse('LU with '//decimal(n)//' grid points along an edge cannot use '//decimal(ranks) &
                  //' ranks: each needs at least 3 along each axis; take fewer ranks or a larger class')
    end if

    place = [mod(rank, grid(1)), rank / grid(1)]
    points(3) = n
    offset(3) = 0
    do axis = 1, 2
      points(axis) = n / grid(axis) + merge(1, 0, place(axis) < mod(n, grid(axis)))
      offset(axis) = place(axis) * (n / grid(axis)) + min(place(axis), mod(n, grid(axis)))
    end do
    neighbour(:, 1) = [rank - 1, rank + 1]
    neighbour(:, 2) = [rank - grid(1), rank + grid(1)]
    where (place == 0) neighbour(before, :) = MPI_PROC_NULL
    where (place == grid - 1) neighbour(behind, :) = MPI_PROC_NULL
    call make_block(tile, n, points, offset)
    allocate(row(5, maxval(points(1:2))))
  end subroutine make_tile

  ! The factors nx >= ny of the number of ranks that are closest to each other.
  pure function ranks_by_axis(ranks) result(grid)
    integer, intent(in) :: ranks
    integer :: grid(2)

    grid(2) = int(sqrt(real(ranks, dp)) + 1.0e-5_dp)
    do while (mod(ranks, grid(2)) /= 0)
      grid(2) = grid(2) - 1
    end do
    grid(1) = ranks / grid(2)
  end function ranks_by_axis

  ! Fills the halo of the states from the four neighbours, first along the first axis.
  subroutine exchange_states(tile)
    type(block), intent(inout) :: tile
    integer :: axis

    do axis = 1, 2
      call shift_states(tile, axis, before, behind)
      call shift_states(tile, axis, behind, before)
    end do
  end subroutine exchange_states

  ! Every rank sends the layers next to neighbour `to` there, and gets its halo on the side of `from`.
  subroutine shift_states(tile, axis, from, to)
    type(block), intent(inout) :: tile
    integer, intent(in) :: axis, from, to
    real(dp), allocatable, asynchronous :: sent(:, :), received(:, :)
    integer :: request, ierror, first, points

    points = halo * tile%points(3 - axis) * tile%points(3)
    allocate (sent(5, points), received(5, points))
    if (neighbour(from, axis) /= MPI_PROC_NULL) then
      call MPI_Irecv(received, size(received), MPI_DOUBLE_PRECISION, neighbour(from, axis), to, &
                     MPI_COMM_WORLD, request, ierror)
    end if
    if (neighbour(to, axis) /= MPI_PROC_NULL) then
      first = merge(1, tile%points(axis) - halo + 1, to == before)
      call copy_layers(tile, axis, first, sent, .true.)
      call MPI_Send(sent, size(sent), MPI_DOUBLE_PRECISION, neighbour(to, axis), to, MPI_COMM_WORLD, ierror)
    end if
    if (neighbour(from, axis) /= MPI_PROC_NULL) then
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
      first = merge(1 - halo, tile%points(axis) + 1, from == before)
      call copy_layers(tile, axis, first, received, .false.)
    end if
  end subroutine shift_states

  ! Copies the layers of states that begin at `first` along the axis out of the tile, or into it.
  subroutine copy_layers(tile, axis, first, layers, out)
    type(block), intent(inout) :: tile
    integer, intent(in) :: axis, first
    real(dp), intent(inout) :: layers(5, *)
    logical, intent(in) :: out
    integer :: low(3), high(3), i, j, k, n

    low = 1
    high = tile%points
    low(axis) = first
    high(axis) = first + halo - 1
    n = 0
    do k = low(3), high(3)
      do j = low(2), high(2)
        do i = low(1), high(1)
          n = n + 1
          if (out) then
            layers(:, n) = tile%u(:, i, j, k)
          else
            tile%u(:, i, j, k) = layers(:, n)
          end if
        end do
      end do
    end do
  end subroutine copy_layers

  ! Receives the results for plane k of the two neighbours on one side, into the halo around the tile.
  subroutine receive_plane(tile, k, side)
    type(block), intent(inout) :: tile
    integer, intent(in) :: k, side
    integer :: low(2), high(2), edge(2), length, ierror

    low = tile%first(1:2)
    high = tile%last(1:2)
    edge = merge([0, 0], tile%points(1:2) + 1, side == before)
    if (neighbour(side, 1) /= MPI_PROC_NULL) then
      length = high(2) - low(2) + 1
      call MPI_Recv(row, 5 * length, MPI_DOUBLE_PRECISION, neighbour(side, 1), side, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
      tile%rhs(:, edge(1), low(2):high(2), k) = row(:, :length)
    end if
    if (neighbour(side, 2) /= MPI_PROC_NULL) then
      length = high(1) - low(1) + 1
      call MPI_Recv(row, 5 * length, MPI_DOUBLE_PRECISION, neighbour(side, 2), side, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
      tile%rhs(:, low(1):high(1), edge(2), k) = row(:, :length)
    end if
  end subroutine receive_plane

  ! Sends this rank's results for plane k to the two neighbours on one side.
  subroutine send_plane(tile, k, side)
    type(block), intent(in) :: tile
    integer, intent(in) :: k, side
    integer :: low(2), high(2), edge(2), length, opposite, ierror

    low = tile%first(1:2)
    high = tile%last(1:2)
    edge = merge([1, 1], tile%points(1:2), side == before)
    opposite = merge(behind, before, side == before) ! the tag names the side of the receiver
    if (neighbour(side, 1) /= MPI_PROC_NULL) then
      length = high(2) - low(2) + 1
      row(:, :length) = tile%rhs(:, edge(1), low(2):high(2), k)
      call MPI_Send(row, 5 * length, MPI_DOUBLE_PRECISION, neighbour(side, 1), opposite, MPI_COMM_WORLD, ierror)
    end if
    if (neighbour(side, 2) /= MPI_PROC_NULL) then
      length = high(1) - low(1) + 1
      row(:, :length) = tile%rhs(:, low(1):high(1), edge(2), k)
      call MPI_Send(row, 5 * length, MPI_DOUBLE_PRECISION, neighbour(side, 2), opposite, MPI_COMM_WORLD, ierror)
    end if
  end subroutine send_plane

end module lu_grid
