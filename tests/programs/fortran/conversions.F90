! smpi: ranks 2
! smpi: requires smpi
! smpi: expect-pass
! Status conversion, MPI_Sizeof, MPI_UNDEFINED as an index (MPICH 4.0 adds 1 to it), handles as numbers, profiling names and
! absent error codes in mpi_f08 (MPI 5.0 §19.1, §19.3).
#define MPIF08
#include "parts/interface.inc"
program conversions
  use mpi_f08
  implicit none
  integer :: rank, failures, numbers(MPI_STATUS_SIZE), size, got, ierr
  type(MPI_Status) :: status, again
  type(MPI_Comm) :: comm
  type(MPI_Request) :: none(2)
  logical :: flag
  complex(8) :: z
  character(len=7) :: word(3)
  common /checks/ failures
  failures = 0
  call PMPI_Init()
  call PMPI_Comm_rank(MPI_COMM_WORLD, rank)
  call PMPI_Sendrecv(rank, 1, MPI_INTEGER, 1 - rank, 9, got, 1, MPI_INTEGER, 1 - rank, 9, MPI_COMM_WORLD, status)
  call check_int(got, 1 - rank, 'the value of PMPI_Sendrecv')
  call MPI_Status_f082f(status, numbers)
  call check(numbers(MPI_SOURCE) == 1 - rank .and. numbers(MPI_TAG) == 9, 'MPI_Status_f082f')
  call MPI_Status_f2f08(numbers, again, ierr)
  call check(ierr == MPI_SUCCESS .and. again%MPI_SOURCE == 1 - rank, 'MPI_Status_f2f08')
  call MPI_Get_count(again, MPI_INTEGER, size)
  call check_int(size, 1, 'the count in a converted status')
  none = MPI_REQUEST_NULL
  call MPI_Waitany(2, none, size, MPI_STATUS_IGNORE)
  call check_int(size, MPI_UNDEFINED, 'MPI_Waitany without active requests')
  call MPI_Testany(2, none, size, flag, MPI_STATUS_IGNORE)
  call check(flag .and. size == MPI_UNDEFINED, 'MPI_Testany without active requests')
  call MPI_Sizeof(z, size)
  call check_int(size, 16, 'MPI_Sizeof of COMPLEX(8)')
  call MPI_Sizeof(word, size)
  call check_int(size, 7, 'MPI_Sizeof of CHARACTER')
  comm%MPI_VAL = MPI_COMM_WORLD%MPI_VAL
  call check(comm == MPI_COMM_WORLD .and. comm /= MPI_COMM_SELF, 'handles are their numbers')
  call finish('conversions')
end program conversions
#include "parts/check.inc"
