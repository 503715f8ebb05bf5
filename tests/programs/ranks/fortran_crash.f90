! smpi: ranks 2
! smpi: compile-args -g
! smpi: expect-exit 139
! smpi: expect-stdout rank 1 is about to crash
! smpi: expect-stderr-contains rank 1: SIGSEGV (invalid memory access, through a null pointer) in
! smpi: expect-stderr-contains fortran_crash.f90:17
! Fortran's run-time library does not take crashes away from us, and what was printed before is there.
program crash
   use mpi
   implicit none
   integer :: e, rank
   integer, pointer :: nowhere
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   nullify(nowhere)
   if (rank == 1) print '(a)', 'rank 1 is about to crash'
   if (rank == 1) nowhere = 5
   call MPI_Finalize(e)
end program
