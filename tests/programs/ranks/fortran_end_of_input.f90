! smpi: ranks 2
! smpi: expect-exit 2
! smpi: stdout-order exact
! smpi: expect-stdout rank 0 meets the end
! smpi: expect-stdout rank 1 meets the end
! smpi: expect-stderr-contains Fortran runtime error: End of file
! smpi: expect-stderr-contains rank 1: ended with exit code 2
! Standard input is rank 0's; all others find its end (and here rank 0, too, because it is empty).
program input
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   integer :: number, status
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   read(*, *, iostat=status) number
   if (is_iostat_end(status)) print '(a,i0,a)', 'rank ', rank, ' meets the end'
   e = MPI_Finalize()
   if (rank == 1) then
      open(12, file='empty.tmp', status='replace')
      close(12)
      open(12, file='empty.tmp', status='old')
      read(12, *) number
   end if
end program
