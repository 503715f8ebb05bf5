! smpi: ranks 2
! smpi: expect-exit 4
! smpi: expect-stdout rank 0 goes on
! smpi: expect-stderr-contains ERROR STOP 4
! smpi: expect-stderr-contains Error termination
! smpi: expect-stderr-contains rank 1: ended with exit code 4
! ERROR STOP ends its rank with its code, and its backtrace finds the rank's own program.
program error_stops
   use mpi
   implicit none
   integer :: e, rank
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call MPI_Finalize(e)
   if (rank == 1) error stop 4
   print '(a,i0,a)', 'rank ', rank, ' goes on'
end program
