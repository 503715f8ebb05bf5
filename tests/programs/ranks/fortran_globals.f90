! smpi: ranks 3
! smpi: sources parts/modules.f90
! smpi: twice
! smpi: shuffled
! smpi: stdout-order exact
! smpi: expect-stdout rank 0 common 1030 3 7 save 3 module 100 alloc 5
! smpi: expect-stdout rank 1 common 1033 3 7 save 3 module 101 alloc 5
! smpi: expect-stdout rank 2 common 1036 3 7 save 3 module 102 alloc 5
! COMMON blocks, SAVE and module variables belong to a rank, whatever other ranks do between two calls.
module state
   implicit none
   integer :: number = 100
   real, allocatable :: field(:)
end module

program globals
   use mpi
   use state
   implicit none
   integer :: total, list(4)
   common /shared/ total, list
   integer :: e, rank
   integer :: i, kept
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   number = number + rank
   allocate(field(5))
   do i = 1, 3
      call add_to_common(10 + rank)
      call MPI_Barrier(MPI_COMM_WORLD, e)
      kept = count_calls()
   end do
   print '(a,i2,a,i5,i2,i2,a,i2,a,i4,a,i2)', 'rank', rank, ' common', total, list(1), list(2), ' save', kept, &
      ' module', number, ' alloc', size(field)
   call MPI_Finalize(e)
contains
   integer function count_calls()
      integer, save :: calls = 0
      calls = calls + 1
      count_calls = calls
   end function
end program
