! A wrapper of MPI_Barrier is called from two places of a module and the program: three times by step, once by the
! program. With -DMODULE=mpi or mpi_f08, else with mpif.h.
#ifdef MODULE
#define DECLARED use MODULE
#define INCLUDED
#else
#define DECLARED
#define INCLUDED include 'mpif.h'
#endif
module work
  DECLARED
  implicit none
contains
  subroutine synchronise(number)
    INCLUDED
    integer, intent(inout) :: number
    integer :: ierror
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    number = number + 1
  end subroutine
  subroutine step(number)
    integer, intent(inout) :: number
    call synchronise(number)
    number = number + 1
    call inner()
  contains
    subroutine inner()
      call outside(number)
      number = number + 1
    end subroutine
  end subroutine
end module
program steps
  use work
  implicit none
  INCLUDED
  integer :: ierror, time, number
  number = 0
  call MPI_Init(ierror)
  do time = 1, 3
    call step(number)
  end do
  call synchronise(number)
  if (number < 0) print *, number
  call MPI_Finalize(ierror)
end program
subroutine outside(number)
  DECLARED
  implicit none
  INCLUDED
  integer, intent(inout) :: number
  integer :: ierror, buffer(4)
  buffer = number
  call MPI_Bcast(buffer, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  number = buffer(1) + 1
end subroutine
