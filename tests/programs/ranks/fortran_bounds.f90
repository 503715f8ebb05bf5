! smpi: ranks 2
! smpi: compile-args -fcheck=all -g
! smpi: expect-exit 2
! smpi: expect-stderr-contains Fortran runtime error: Index '4' of dimension 1 of array 'a' above upper bound of 3
! smpi: expect-stderr-contains rank 1: ended with exit code 2 in
! smpi: expect-stderr-contains fortran_bounds.f90:20
! A run-time error says which rank it was of, and where.
program bounds
   use mpi
   implicit none
   integer :: e, rank
   integer :: a(3), i
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call MPI_Finalize(e)
   i = 3 + rank
   a = 0
   ! The next line but one is the bad one.

   a(i) = 1
   print *, sum(a)
end program
