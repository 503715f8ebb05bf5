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
   use mpi
   implicit none
   include 'parts/usleep.inc'
   integer :: e, rank
   character(len=20) :: text
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call MPI_Barrier(MPI_COMM_WORLD, e)
   call MPI_Finalize(e)
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
