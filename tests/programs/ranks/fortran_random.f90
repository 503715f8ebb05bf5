! smpi: ranks 3
! smpi: twice
! smpi: shuffled
! smpi: expect-pass
! RANDOM_NUMBER gives every rank its own numbers, and the same ones in every run.
program numbers
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank, other
   real(8) :: x(4)
   integer, allocatable :: seed(:)
   integer :: n
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   call random_number(x)
   call random_seed(size=n)
   allocate(seed(n))
   seed = 5
   call random_seed(put=seed)
   call random_number(x(4))
   n = int(x(1) * 1e9)
   if (rank > 0) then
      e = MPI_Send(n, 1, int_type, 0, 0, world)
   else
      e = MPI_Recv(other, 1, int_type, 1, 0, world, no_status)
      if (other == n) print '(a)', 'FAIL: the same numbers'
      e = MPI_Recv(n, 1, int_type, 2, 0, world, no_status)
      if (other == n) print '(a)', 'FAIL: the same numbers'
   end if
   print '(a,i2,4f8.5)', merge('PASS', 'rank', rank == 0), rank, x
   e = MPI_Finalize()
end program
