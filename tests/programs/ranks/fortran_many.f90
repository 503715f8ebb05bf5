! smpi: ranks 2000
! smpi: expect-pass
! Thousands of ranks have a run-time library each; libc has only 1,024 keys for thread-specific data, and they need one each.
program many
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank, value
   real :: x
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   call random_number(x)
   value = rank
   if (rank > 0) e = MPI_Recv(value, 1, int_type, rank - 1, 0, world, no_status)
   value = value + 1
   if (rank < 1999) e = MPI_Send(value, 1, int_type, rank + 1, 0, world)
   if (rank == 1999) print '(a,i5)', 'PASS', value
   e = MPI_Finalize()
end program
