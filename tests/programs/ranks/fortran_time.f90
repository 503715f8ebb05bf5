! smpi: ranks 2
! smpi: twice
! smpi: expect-pass
! smpi: expect-stdout PASS 0.500 0.500 0.500
! All clocks of Fortran show simulated time.
program clocks
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   integer(8) :: first, last, rate
   integer :: before(8), after(8)
   real(8) :: start, finish
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   call cpu_time(start)
   call system_clock(first, rate)
   call date_and_time(values=before)
   e = usleep(500000)
   call cpu_time(finish)
   call system_clock(last)
   call date_and_time(values=after)
   if (rank == 0) print '(a,3f6.3)', 'PASS', finish - start, real(last - first, 8) / rate, &
      after(7) - before(7) + (after(8) - before(8)) / 1000.0
   e = MPI_Finalize()
end program
