! smpi: ranks 2
! smpi: requires smpi
! smpi: expect-pass
! smpi: shuffled
! Sections of arrays in mpi_f08 whose elements and datatype have different sizes: structures with padding at their end,
! datatypes of several elements; CLASS(*); and MPI_F_sync_reg.
#define MPIF08
#include "parts/interface.inc"
program sections_of_elements
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: padded
    real(c_double) :: x
    integer(c_int) :: i
  end type padded
  type :: inner
    real(8) :: x
    integer :: i
  end type inner
  integer :: rank, other, failures, i, code, class
  common /checks/ failures
  failures = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  call structures
  call several_elements
  call beside_a_pending_receive
  call polymorphic
  call registers
  call finish('sections_of_elements')

contains

  ! A datatype of 12 bytes and extent 16, for elements of 16 bytes.
  subroutine padded_type(made)
    type(MPI_Datatype), intent(out) :: made
    call MPI_Type_create_struct(2, [1, 1], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], &
                                [MPI_DOUBLE_PRECISION, MPI_INTEGER], made)
    call MPI_Type_commit(made)
  end subroutine padded_type

  subroutine structures
    type(padded) :: a(8), b(8)
    type(inner) :: c(8), d(8)
    type(MPI_Datatype) :: made
    type(MPI_Request) :: requests(2)
    integer(MPI_ADDRESS_KIND) :: lb, extent
    call padded_type(made)
    call MPI_Type_get_extent(made, lb, extent)
    call check(extent == 16, 'the extent has the padding')
    a = [(padded(rank + 0.5d0 * i, 10 * rank + i), i = 1, 8)]
    b = padded(0, 0)
    call MPI_Isend(a(1:8:2), 4, made, other, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(b(2:8:2), 4, made, other, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(b(2:8:2)%i == [(10 * other + i, i = 1, 8, 2)]), 'integers of structures')
    call check(all(b(2:8:2)%x == [(other + 0.5d0 * i, i = 1, 8, 2)]), 'reals of structures')
    call check(all(b(1:7:2)%i == 0), 'nothing between')
    c = [(inner(rank + 0.5d0 * i, 10 * rank + i), i = 1, 8)]
    d = inner(0, 0)
    call MPI_Sendrecv(c(8:1:-1), 8, made, other, 2, d(8:1:-1), 8, made, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(d%i == [(10 * other + i, i = 1, 8)]), 'structures backwards')
    call MPI_Type_free(made)
  end subroutine structures

  ! Three elements of the section are one of the datatype, which a blocking call can copy.
  subroutine several_elements
    real :: a(24), b(24)
    integer :: odd(9)
    type(MPI_Datatype) :: three, pair
    type(MPI_Request) :: request
    call MPI_Type_contiguous(3, MPI_REAL, three)
    call MPI_Type_commit(three)
    a = [(100 * rank + i, i = 1, 24)]
    b = -1
    if (rank == 0) then
      call MPI_Send(a(1:24:2), 4, three, 1, 3, MPI_COMM_WORLD)
      call MPI_Recv(b(2:24:2), 3, three, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b(2:18:2) == [(100 + i, i = 1, 18, 2)]), 'received by threes')
      call check(all(b(20:24:2) == -1) .and. all(b(1:23:2) == -1), 'nothing beside')
    else
      call MPI_Recv(b, 12, MPI_REAL, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check(all(b(:12) == [(i, i = 1, 24, 2)]), 'sent by threes')
      call MPI_Send(a(1:18:2), 3, three, 0, 4, MPI_COMM_WORLD)
    end if
    call MPI_Bcast(b(1:24:4), 2, three, 0, MPI_COMM_WORLD)
    ! An odd number of elements by pairs with a gap.
    call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, pair)
    call MPI_Type_commit(pair)
    odd = [(10 * rank + i, i = 1, 9)]
    call MPI_Sendrecv_replace(odd(1:9:2), 3, pair, other, 5, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(odd == [10 * other + 1, 10 * rank + 2, 10 * rank + 3, 10 * rank + 4, 10 * other + 5, 10 * rank + 6, &
                           10 * rank + 7, 10 * rank + 8, 10 * other + 9]), 'every other element of a section')
    ! What does not fit into the section, or goes on after the call, is refused.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Send(a(1:24:2), 5, three, other, 6, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, class)
    call check(class == MPI_ERR_BUFFER, 'more than the section has')
    call MPI_Isend(a(1:24:2), 4, three, other, 6, MPI_COMM_WORLD, request, code)
    call MPI_Error_class(code, class)
    call check(class == MPI_ERR_BUFFER, 'a copy would be gone too early')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    call MPI_Type_free(three)
    call MPI_Type_free(pair)
  end subroutine several_elements

  ! The copy of a section brings back what was received, and not what another receive is writing to.
  subroutine beside_a_pending_receive
    integer :: a(12), b(12)
    type(MPI_Datatype) :: three
    type(MPI_Request) :: request
    a = 0
    b = [(100 * rank + i, i = 1, 12)]
    call MPI_Type_contiguous(3, MPI_INTEGER, three)
    call MPI_Type_commit(three)
    if (rank == 0) then
      call MPI_Irecv(a(11), 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, request)
      call MPI_Recv(a(1:11:2), 1, three, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call check(a(11) == 111 .and. all(a(1:5:2) == [101, 102, 103]), 'two receives into one section')
    else
      call MPI_Send(b(11), 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD)
      call MPI_Send(b, 3, MPI_INTEGER, 0, 8, MPI_COMM_WORLD)
    end if
    call MPI_Type_free(three)
  end subroutine beside_a_pending_receive

  subroutine polymorphic
    class(*), allocatable :: number, list(:), table(:, :), text
    class(*), pointer :: one, some(:)
    integer, target :: plain(6)
    integer :: got(6), size
    real(8) :: big(6)
    character(len=5) :: letters
    allocate (number, source=40 + rank)
    allocate (list(6), source=[(10 * rank + i, i = 1, 6)])
    allocate (table(2, 3), source=reshape([(100d0 * rank + i, i = 1, 6)], [2, 3]))
    letters = 'ab' // achar(48 + rank) // 'cd'
    allocate (text, source=letters)
    plain = [(1000 * rank + i, i = 1, 6)]
    one => plain(3)
    some => plain
    call MPI_Sendrecv(number, 1, MPI_INTEGER, other, 9, got, 1, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(got(1) == 40 + other, 'a scalar CLASS(*)')
    call MPI_Sendrecv(list, 6, MPI_INTEGER, other, 9, got, 6, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(got == [(10 * other + i, i = 1, 6)]), 'an array of CLASS(*)')
    call MPI_Sendrecv(table, 6, MPI_DOUBLE_PRECISION, other, 9, big, 6, MPI_DOUBLE_PRECISION, other, 9, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(big == [(100d0 * other + i, i = 1, 6)]), 'a table of CLASS(*)')
    call MPI_Sendrecv(text, 5, MPI_CHARACTER, other, 9, letters, 5, MPI_CHARACTER, other, 9, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(letters == 'ab' // achar(48 + other) // 'cd', 'a text of CLASS(*)')
    call MPI_Sendrecv(one, 1, MPI_INTEGER, other, 9, got, 1, MPI_INTEGER, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(got(1) == 1000 * other + 3, 'a pointer to CLASS(*)')
    call MPI_Sendrecv(list(2), 1, MPI_INTEGER, other, 9, some, 1, MPI_INTEGER, other, 9, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(plain(1) == 10 * other + 2 .and. plain(2) == 1000 * rank + 2, 'received through a pointer to CLASS(*)')
    call MPI_Bcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    select type (number)
    type is (integer)
      call check(number == 40, 'received into CLASS(*)')
      call MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      call check(number == 80, 'reduced inside of SELECT TYPE')
    end select
    call MPI_Sizeof(number, size)
    call check(size == 4, 'the size of CLASS(*)')
    ! Its elements may have gaps between them, and the compiler does not tell.
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Send(list(1:6:2), 3, MPI_INTEGER, other, 10, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, class)
    call check(class == MPI_ERR_BUFFER, 'a section of CLASS(*)')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine polymorphic

  subroutine registers
    use mpi, only: sync => MPI_F_sync_reg
    integer :: a(4)
    type(MPI_Request) :: request
    a = 0
    call MPI_Irecv(a, 4, MPI_INTEGER, other, 11, MPI_COMM_WORLD, request)
    call MPI_Send([1, 2, 3, 4 + rank], 4, MPI_INTEGER, other, 11, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(a)
    call PMPI_F_sync_reg(a(1:4:2))
    call sync(a)
    call check(a(4) == 4 + other, 'what MPI_F_sync_reg is for')
  end subroutine registers

end program sections_of_elements
#include "parts/check.inc"
