! smpi: ranks 2
! smpi: compile-args -fcheck=all -g
! smpi: expect-exit 2
! smpi: expect-stderr-contains Fortran runtime error: Index '4' of dimension 1 of array 'a' above upper bound of 3
! smpi: expect-stderr-contains rank 1: ended with exit code 2 in
! smpi: expect-stderr-contains fortran_bounds.f90:21
! A run-time error says which rank it was of, and where.
program bounds
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   integer :: a(3), i
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   e = MPI_Finalize()
   i = 3 + rank
   a = 0
   ! The next line but one is the bad one.

   a(i) = 1
   print *, sum(a)
end program
