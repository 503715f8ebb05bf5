! smpi: ranks 2
! smpi: expect-exit 2
! smpi: stdout-order exact
! smpi: expect-stdout rank 0 meets the end
! smpi: expect-stdout rank 1 meets the end
! smpi: expect-stderr-contains Fortran runtime error: End of file
! smpi: expect-stderr-contains rank 1: ended with exit code 2
! Standard input is rank 0's; all others find its end (and here rank 0, too, because it is empty).
program input
   use mpi
   implicit none
   integer :: e, rank
   integer :: number, status
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   read(*, *, iostat=status) number
   if (is_iostat_end(status)) print '(a,i0,a)', 'rank ', rank, ' meets the end'
   call MPI_Finalize(e)
   if (rank == 1) then
      open(12, file='empty.tmp', status='replace')
      close(12)
      open(12, file='empty.tmp', status='old')
      read(12, *) number
   end if
end program
