! Multipartitioning: how SP and BT share out the grid, and how they solve along its axes.
!
! An implicit step solves independent systems along all lines of the first axis, then of the second and
! the third. If every rank had one box of the grid, only one layer of ranks could work at a time on lines
! that cross all of them. With q * q ranks the grid is therefore cut into q * q * q cells, and each rank
! gets q of them, placed on a diagonal: one in every slice of q * q cells, whatever the axis. A sweep
! takes q stages; in each one every rank has just one cell to work on, and afterwards hands on to one
! neighbour what the next cells need.
!
!     q = 3, a plane of cells, with their ranks:   6 7 8
!                                                  3 4 5
!                                                  0 1 2    the plane above it: ranks shifted diagonally
!
! Neighbouring cells in one direction belong to one and the same rank, for all cells of a rank, so six
! messages fill the halos of all cells.
!
! Sources: NASA report RNR-94-007, section 4.2; M. Naik, "A scalable implementation of the NAS parallel
! benchmark BT on distributed memory systems", IBM Systems Journal 34 (1995).
module multipartition
  use mpi
  use nas_report, only: dp, refuse, decimal
  use flow, only: block, make_block, halo
  implicit none
  private
  public :: make_cells, exchange_states, solve_along

  type, extends(block), public :: cell
    integer :: place(3) = 0                      ! among the cells, 1:q along each axis
    real(dp), allocatable :: upper(:, :, :, :)   ! what elimination leaves above the diagonal
  end type cell

  ! What a method does in one cell: eliminate the lower part of the systems along an axis, given the
  ! results of the cell before; find the solutions, given those of the cell behind.
  abstract interface
    subroutine elimination(this, axis, dt)
      import :: cell, dp
      class(cell), intent(inout) :: this
      integer, intent(in) :: axis
      real(dp), intent(in) :: dt
    end subroutine elimination
    subroutine substitution(this, axis)
      import :: cell
      class(cell), intent(inout) :: this
      integer, intent(in) :: axis
    end subroutine substitution
  end interface

  integer, parameter :: before = 1, behind = 2
  integer, save :: neighbour(2, 3)             ! ranks that have the cells before and behind, by axis
  integer, save, allocatable :: in_slice(:, :) ! which of the rank's cells is in a slice, by axis and slice

  type :: message
    real(dp), allocatable :: data(:)
  end type message

contains

  ! Cuts the n^3 points into cells, and makes those of this rank with `width` numbers a point in `upper`.
  subroutine make_cells(name, n, width, cells)
    character(len=*), intent(in) :: name
    integer, intent(in) :: n, width
    type(cell), allocatable, intent(out) :: cells(:)
    integer :: ranks, rank, ierror, q, x, y, c, points(3), offset(3)

    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    q = nint(sqrt(real(ranks, dp)))
    if (q * q /= ranks) then
      call refuse(name//' cannot use '//decimal(ranks)//' ranks: expected a square number, such as 1, 4, 9, 16 or 64')
    end if
    if (n / q < 3) then
      call refuse(name//' with '//decimal(n)//' grid points along an edge cannot use '//decimal(ranks) &
                  //' ranks: expected at most '//decimal((n / 3)**2)//'; take fewer ranks or a larger class')
    end if

    x = mod(rank, q)
    y = rank / q
    neighbour(:, 1) = [owner(x - 1, y), owner(x + 1, y)]
    neighbour(:, 2) = [owner(x, y - 1), owner(x, y + 1)]
    neighbour(:, 3) = [owner(x + 1, y - 1), owner(x - 1, y + 1)]

    allocate (cells(q), in_slice(3, q))
    do c = 1, q
      cells(c)%place = 1 + [modulo(x + c - 1, q), modulo(y - c + 1, q), c - 1]
      in_slice(1, cells(c)%place(1)) = c
      in_slice(2, cells(c)%place(2)) = c
      in_slice(3, cells(c)%place(3)) = c
      points = n / q + merge(1, 0, cells(c)%place <= mod(n, q))
      offset = (cells(c)%place - 1) * (n / q) + min(cells(c)%place - 1, mod(n, q))
      call make_block(cells(c)%block, n, points, offset)
      allocate (cells(c)%upper(width, 1 - halo:points(1) + halo, 1 - halo:points(2) + halo, &
                               1 - halo:points(3) + halo), source=0.0_dp)
    end do

  contains

    ! The rank with the cell at place (x, y) of the lowest plane.
    pure integer function owner(x, y)
      integer, intent(in) :: x, y

      owner = modulo(x, q) + q * modulo(y, q)
    end function owner

  end subroutine make_cells

  ! Fills the halos of all cells: two layers of states from each neighbouring cell.
  subroutine exchange_states(cells)
    type(cell), intent(inout) :: cells(:)
    type(message), asynchronous :: sent(2, 3), received(2, 3)
    integer :: axis, side, n, requests(12), ierror

    if (size(cells) == 1) return
    n = 0
    do axis = 1, 3
      do side = before, behind
        allocate (received(side, axis)%data(faces_size(cells, axis, side)))
        n = n + 1
        call MPI_Irecv(received(side, axis)%data, size(received(side, axis)%data), MPI_DOUBLE_PRECISION, &
                       neighbour(side, axis), tag(axis, side), MPI_COMM_WORLD, requests(n), ierror)
      end do
    end do
    do axis = 1, 3
      do side = before, behind
        allocate (sent(side, axis)%data(faces_size(cells, axis, side)))
        call copy_faces(cells, axis, side, sent(side, axis)%data, .true.)
        n = n + 1
        call MPI_Isend(sent(side, axis)%data, size(sent(side, axis)%data), MPI_DOUBLE_PRECISION, &
                       neighbour(side, axis), tag(axis, before + behind - side), MPI_COMM_WORLD, requests(n), ierror)
      end do
    end do
    call MPI_Waitall(12, requests, MPI_STATUSES_IGNORE, ierror)
    do axis = 1, 3
      do side = before, behind
        call copy_faces(cells, axis, side, received(side, axis)%data, .false.)
      end do
    end do
  end subroutine exchange_states

  ! Tag of messages that come from this side, seen by the receiver.
  pure integer function tag(axis, side)
    integer, intent(in) :: axis, side

    tag = 10 * axis + side
  end function tag

  ! Whether a cell has a neighbour on a side.
  pure logical function is_inner(this, axis, side, q)
    type(cell), intent(in) :: this
    integer, intent(in) :: axis, side, q

    is_inner = this%place(axis) /= merge(1, q, side == before)
  end function is_inner

  ! Size of the message that goes to or comes from a side, in numbers.
  pure integer function faces_size(cells, axis, side)
    type(cell), intent(in) :: cells(:)
    integer, intent(in) :: axis, side
    integer :: c

    faces_size = 0
    do c = 1, size(cells)
      if (is_inner(cells(c), axis, side, size(cells))) then
        faces_size = faces_size + 5 * halo * (product(cells(c)%points) / cells(c)%points(axis))
      end if
    end do
  end function faces_size

  ! Copies the layers of all cells on one side into a message, or a message into the halos there.
  subroutine copy_faces(cells, axis, side, data, out)
    type(cell), intent(inout) :: cells(:)
    integer, intent(in) :: axis, side
    real(dp), intent(inout) :: data(:)
    logical, intent(in) :: out
    integer :: c, low(3), high(3), at, i, j, k

    at = 0
    do c = 1, size(cells)
      if (.not. is_inner(cells(c), axis, side, size(cells))) cycle
      low = 1
      high = cells(c)%points
      if (side == before) then
        low(axis) = merge(1, 1 - halo, out)
      else
        low(axis) = cells(c)%points(axis) + merge(1 - halo, 1, out)
      end if
      high(axis) = low(axis) + halo - 1
      do k = low(3), high(3)
        do j = low(2), high(2)
          do i = low(1), high(1)
            if (out) then
              data(at + 1:at + 5) = cells(c)%u(:, i, j, k)
            else
              cells(c)%u(:, i, j, k) = data(at + 1:at + 5)
            end if
            at = at + 5
          end do
        end do
      end do
    end do
  end subroutine copy_faces

  ! Solves the systems along all lines of an axis: right-hand sides become solutions. A point depends on
  ! `depth` points on either side. If `padded`, a message has room for the faces of the largest cell and
  ! one more line each way, as it does in NPB's BT: this makes simulated times comparable.
  subroutine solve_along(cells, axis, dt, depth, padded, eliminate, substitute)
    type(cell), intent(inout) :: cells(:)
    integer, intent(in) :: axis, depth
    real(dp), intent(in) :: dt
    logical, intent(in) :: padded
    procedure(elimination) :: eliminate
    procedure(substitution) :: substitute
    real(dp), allocatable, asynchronous :: sent(:, :), received(:, :)
    integer :: q, stage, c, requests(2)

    q = size(cells)
    requests = MPI_REQUEST_NULL

    do stage = 1, q
      c = in_slice(axis, stage)
      if (stage > 1) then
        call receive(before, size(cells(c)%upper, 1) + 5)
        call copy_layers(cells(c), axis, 1 - depth, depth, received, .false.)
      end if
      call eliminate(cells(c), axis, dt)
      if (stage < q) call send(behind, size(cells(c)%upper, 1) + 5, cells(c)%points(axis) - depth + 1)
    end do

    do stage = q, 1, -1
      c = in_slice(axis, stage)
      if (stage < q) then
        call receive(behind, 5)
        call copy_layers(cells(c), axis, cells(c)%points(axis) + 1, depth, received, .false.)
      end if
      call substitute(cells(c), axis)
      if (stage > 1) call send(before, 5, 1)
    end do
    call wait_for_both

  contains

    ! Gets the message from the neighbour on one side. The last one sent has to be gone, too.
    subroutine receive(side, width)
      integer, intent(in) :: side, width
      integer :: ierror

      if (allocated(received)) deallocate (received)
      allocate (received(width * depth, lines()))
      call MPI_Irecv(received, size(received), MPI_DOUBLE_PRECISION, neighbour(side, axis), tag(axis, side), &
                     MPI_COMM_WORLD, requests(1), ierror)
      call wait_for_both
    end subroutine receive

    ! Sends `depth` layers from `first` on to the neighbour on one side.
    subroutine send(side, width, first)
      integer, intent(in) :: side, width, first
      integer :: ierror

      if (allocated(sent)) deallocate (sent)
      allocate (sent(width * depth, lines()), source=0.0_dp)
      call copy_layers(cells(c), axis, first, depth, sent, .true.)
      call MPI_Isend(sent, size(sent), MPI_DOUBLE_PRECISION, neighbour(side, axis), tag(axis, before + behind - side), &
                     MPI_COMM_WORLD, requests(2), ierror)
    end subroutine send

    subroutine wait_for_both
      integer :: ierror

      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end subroutine wait_for_both

    ! How many lines a message describes.
    integer function lines()
      integer :: across(3)

      across = cells(c)%last - cells(c)%first + 1
      lines = product(across) / across(axis)
      if (padded) lines = (cells(c)%n / q + 1)**2
    end function lines

  end subroutine solve_along

  ! Copies layers of a cell into a message, or a message into layers: the right-hand sides of points,
  ! and their parts of `upper` if the message is wide enough.
  subroutine copy_layers(this, axis, first, depth, data, out)
    type(cell), intent(inout) :: this
    integer, intent(in) :: axis, first, depth
    real(dp), intent(inout) :: data(:, :)
    logical, intent(in) :: out
    integer :: low(3), points(3), layer, start, width, at

    width = size(data, 1) / depth
    low = this%first
    points = this%last - this%first + 1
    points(axis) = 1
    do layer = 1, depth
      low(axis) = first + layer - 1
      start = this%position(low(1), low(2), low(3))
      at = (layer - 1) * width
      if (out) then
        call pack_layer(5, start, points, this%stride, this%rhs, at, size(data, 1), data)
        if (width > 5) call pack_layer(width - 5, start, points, this%stride, this%upper, at + 5, size(data, 1), data)
      else
        call unpack_layer(5, start, points, this%stride, this%rhs, at, size(data, 1), data)
        if (width > 5) call unpack_layer(width - 5, start, points, this%stride, this%upper, at + 5, size(data, 1), data)
      end if
    end do
  end subroutine copy_layers

  ! Copies `width` numbers of each point of a box that begins at `start` to row `at` + 1 and the next ones.
  pure subroutine pack_layer(width, start, points, stride, values, at, rows, data)
    integer, intent(in) :: width, start, points(3), stride(3), at, rows
    real(dp), intent(in) :: values(width, *)
    real(dp), intent(inout) :: data(rows, *)
    integer :: i, j, k, p, line

    line = 0
    do k = 0, points(3) - 1
      do j = 0, points(2) - 1
        p = start + j * stride(2) + k * stride(3)
        do i = 1, points(1)
          data(at + 1:at + width, line + i) = values(:, p + i - 1)
        end do
        line = line + points(1)
      end do
    end do
  end subroutine pack_layer

  ! The inverse.
  pure subroutine unpack_layer(width, start, points, stride, values, at, rows, data)
    integer, intent(in) :: width, start, points(3), stride(3), at, rows
    real(dp), intent(inout) :: values(width, *)
    real(dp), intent(in) :: data(rows, *)
    integer :: i, j, k, p, line

    line = 0
    do k = 0, points(3) - 1
      do j = 0, points(2) - 1
        p = start + j * stride(2) + k * stride(3)
        do i = 1, points(1)
          values(:, p + i - 1) = data(at + 1:at + width, line + i)
        end do
        line = line + points(1)
      end do
    end do
  end subroutine unpack_layer

end module multipartition
