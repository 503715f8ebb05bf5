! smpi: ranks 3
! smpi: twice
! smpi: shuffled
! smpi: expect-exit 3
! smpi: expect-stdout rank 0 goes on
! smpi: expect-stdout rank 2 goes on
! smpi: expect-stdout kept by rank 1
! smpi: expect-stderr-contains STOP 3
! smpi: expect-stderr-contains rank 1: ended with exit code 3 in
! smpi: expect-stderr-contains fortran_stop.f90:25
! STOP ends its rank alone, after its units were written.
program stops
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   character(len=20) :: text
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   e = MPI_Barrier(world)
   e = MPI_Finalize()
   if (rank == 1) then
      open(11, file='stop.tmp', status='replace')
      write(11, '(a)') 'kept by rank 1'
      stop 3
   end if
   e = usleep(1000)
   print '(a,i0,a)', 'rank ', rank, ' goes on'
   if (rank == 2) then
      open(11, file='stop.tmp', status='old')
      read(11, '(a)') text
      close(11, status='delete')
      print '(a)', trim(text)
   end if
end program
