! smpi: ranks 4
! smpi: requires smpi
! smpi: expect-pass
! smpi: shuffled
! Sections of arrays as buffers in mpi_f08 (MPI 5.0 §19.1.12): their elements in array element order, whatever gaps lie
! between them. MPICH 4.0 takes sections of two dimensions wrongly.
#define MPIF08
#include "parts/interface.inc"
program sections
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, prev, failures, i, j, k
  integer :: a(6, 5), b(3, 5)
  common /checks/ failures
  failures = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  call planes
  call backwards
  call part_of_a_section
  call three_dimensions
  call components
  call large_counts
  call collectives
  call characters
  call refused
  call finish('sections')

contains

  subroutine fill
    a = reshape([(100 * rank + i, i = 1, 30)], [6, 5])
    b = 0
  end subroutine fill

  subroutine planes
    type(MPI_Request) :: requests(2)
    call fill
    call MPI_Isend(a(1:6:2, :), 15, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(b, 15, MPI_INTEGER, prev, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(b == reshape([((100 * prev + i + 6 * j, i = 1, 6, 2), j = 0, 4)], [3, 5])), 'every other row')
    a = 0
    call MPI_Irecv(a(2:4, 2:4), 9, MPI_INTEGER, prev, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Send([(rank * 10 + i, i = 1, 9)], 9, MPI_INTEGER, next, 2, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check(all(a(2:4, 2:4) == reshape([(10 * prev + i, i = 1, 9)], [3, 3])), 'a block is received')
    call check(sum(a) == sum(a(2:4, 2:4)), 'nothing beside the block')
  end subroutine planes

  subroutine backwards
    integer :: got(5)
    integer :: row(5)
    row = [(rank + i, i = 1, 5)]
    call MPI_Sendrecv(row(5:1:-1), 5, MPI_INTEGER, next, 3, got, 5, MPI_INTEGER, prev, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(got == [(prev + i, i = 5, 1, -1)]), 'a section that goes backwards')
  end subroutine backwards

  ! Seven of nine elements: two columns and a part of the third.
  subroutine part_of_a_section
    integer :: got(7)
    call fill
    call MPI_Sendrecv(a(1:5:2, 1:5:2), 7, MPI_INTEGER, next, 4, got, 7, MPI_INTEGER, prev, 4, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(got == 100 * prev + [1, 3, 5, 13, 15, 17, 25]), 'a part of a section')
  end subroutine part_of_a_section

  subroutine three_dimensions
    integer :: cube(4, 4, 4), got(2, 2, 2)
    cube = reshape([(i, i = 1, 64)], [4, 4, 4]) + 1000 * rank
    call MPI_Sendrecv(cube(2:3, 1:4:3, 2:4:2), 8, MPI_INTEGER, next, 5, got, 8, MPI_INTEGER, prev, 5, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(got == reshape([(((1000 * prev + i + 4 * j + 16 * k, i = 2, 3), j = 0, 3, 3), k = 1, 3, 2)], &
                                  [2, 2, 2])), 'a section of a cube')
  end subroutine three_dimensions

  ! One component of an array of a derived type.
  subroutine components
    type point
      real(8) :: x
      integer :: colour
    end type point
    type(point) :: points(5)
    integer :: got(5)
    points%x = 0.5d0
    points%colour = [(10 * rank + i, i = 1, 5)]
    call MPI_Sendrecv(points%colour, 5, MPI_INTEGER, next, 6, got, 5, MPI_INTEGER, prev, 6, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(got == [(10 * prev + i, i = 1, 5)]), 'a component of structures')
  end subroutine components

  subroutine large_counts
    integer(MPI_COUNT_KIND) :: count
    type(MPI_Status) :: status
    type(MPI_Datatype) :: made
    call fill
    call MPI_Sendrecv(a(1:6:2, :), 15_MPI_COUNT_KIND, MPI_INTEGER, next, 7, b, 15_MPI_COUNT_KIND, MPI_INTEGER, &
                      prev, 7, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 15 .and. b(3, 5) == 100 * prev + 29, 'large counts')
    call MPI_Type_contiguous(3_MPI_COUNT_KIND, MPI_INTEGER, made)
    call MPI_Type_size(made, count)
    call check(count == 12, 'the large forms of functions without buffers')
    call MPI_Type_free(made)
  end subroutine large_counts

  ! Where no datatype can stand for the section, it is copied.
  subroutine collectives
    integer :: row(8), got(4), ints(6)
    row = 0
    row(1:8:2) = [(10 * rank + i, i = 1, 4)]
    call MPI_Alltoall(row(1:8:2), 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(got == [(10 * i + rank + 1, i = 0, 3)]), 'MPI_Alltoall of a section')
    call MPI_Allgather(rank, 1, MPI_INTEGER, row(2:8:2), 1, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(row(2:8:2) == [0, 1, 2, 3]) .and. row(1) == 10 * rank + 1, 'MPI_Allgather into a section')
    ints = rank
    call MPI_Allreduce(MPI_IN_PLACE, ints(1:6:2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(ints == [6, rank, 6, rank, 6, rank]), 'MPI_Allreduce in place in a section')
    call MPI_Bcast(ints(2:6:2), 3, MPI_INTEGER, 2, MPI_COMM_WORLD)
    call check(all(ints == [6, 2, 6, 2, 6, 2]), 'MPI_Bcast of a section')
  end subroutine collectives

  subroutine characters
    character(len=6) :: words(3), got(3)
    words = ['first ', 'second', 'third ']
    got = ' '
    call MPI_Sendrecv(words(:)(2:4), 9, MPI_CHARACTER, next, 8, got(:)(1:3), 9, MPI_CHARACTER, prev, 8, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(got(1) == 'irs' .and. got(2) == 'eco' .and. got(3) == 'hir', 'substrings of an array')
  end subroutine characters

  ! A nonblocking reduction has no datatype for a section, and a copy would be gone when it ends.
  subroutine refused
    integer :: ints(6), sums(3), ierr, class
    type(MPI_Request) :: request
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    ints = rank
    call MPI_Iallreduce(ints(1:6:2), sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    call MPI_Error_class(ierr, class)
    call check_int(class, MPI_ERR_BUFFER, 'a nonblocking reduction of a section')
    call MPI_Send(ints(1:6:2), 4, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, ierr)
    call MPI_Error_class(ierr, class)
    call check_int(class, MPI_ERR_BUFFER, 'more elements than the section has')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
  end subroutine refused

end program sections
#include "parts/check.inc"
