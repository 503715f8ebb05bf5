! smpi: ranks 2
! smpi: compile-args -g
! smpi: expect-exit 139
! smpi: expect-stdout rank 1 is about to crash
! smpi: expect-stderr-contains rank 1: SIGSEGV (invalid memory access, through a null pointer) in
! smpi: expect-stderr-contains fortran_crash.f90:18
! Fortran's run-time library does not take crashes away from us, and what was printed before is there.
program crash
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   integer, pointer :: nowhere
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   nullify(nowhere)
   if (rank == 1) print '(a)', 'rank 1 is about to crash'
   if (rank == 1) nowhere = 5
   e = MPI_Finalize()
end program
