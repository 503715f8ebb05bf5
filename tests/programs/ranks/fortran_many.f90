! smpi: ranks 2000
! smpi: requires smpi
! smpi: expect-pass
! Thousands of ranks have a run-time library each; libc has only 1,024 keys for thread-specific data, and they need one each.
program many
   use mpi
   implicit none
   integer :: e, rank, value
   real :: x
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call random_number(x)
   value = rank
   if (rank > 0) call MPI_Recv(value, 1, MPI_INTEGER, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
   value = value + 1
   if (rank < 1999) call MPI_Send(value, 1, MPI_INTEGER, rank + 1, 0, MPI_COMM_WORLD, e)
   if (rank == 1999) print '(a,i5)', 'PASS', value
   call MPI_Finalize(e)
end program
