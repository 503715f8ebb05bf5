! smpi: ranks 3
! smpi: twice
! smpi: shuffled
! smpi: requires smpi
! smpi: expect-pass
! RANDOM_NUMBER gives every rank its own numbers, and the same ones in every run.
program numbers
   use mpi
   implicit none
   integer :: e, rank, other
   real(8) :: x(4)
   integer, allocatable :: seed(:)
   integer :: n
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call random_number(x)
   call random_seed(size=n)
   allocate(seed(n))
   seed = 5
   call random_seed(put=seed)
   call random_number(x(4))
   n = int(x(1) * 1e9)
   if (rank > 0) then
      call MPI_Send(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, e)
   else
      call MPI_Recv(other, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      if (other == n) print '(a)', 'FAIL: the same numbers'
      call MPI_Recv(n, 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      if (other == n) print '(a)', 'FAIL: the same numbers'
   end if
   print '(a,i2,4f8.5)', merge('PASS', 'rank', rank == 0), rank, x
   call MPI_Finalize(e)
end program
