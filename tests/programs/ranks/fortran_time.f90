! smpi: ranks 2
! smpi: twice
! smpi: requires smpi
! smpi: smpirun-args --report-html=page.html
! smpi: expect-pass
! smpi: expect-stdout PASS 0.500 0.500 0.500
! All clocks of Fortran show simulated time. What libc has remembered for them is no memory of the process, which
! writes a page.
program clocks
   use mpi
   implicit none
   include 'parts/usleep.inc'
   integer :: e, rank
   integer(8) :: first, last, rate
   integer :: before(8), after(8)
   real(8) :: start, finish
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call cpu_time(start)
   call system_clock(first, rate)
   call date_and_time(values=before)
   e = usleep(500000)
   call cpu_time(finish)
   call system_clock(last)
   call date_and_time(values=after)
   if (rank == 0) print '(a,3f6.3)', 'PASS', finish - start, real(last - first, 8) / rate, &
      after(7) - before(7) + (after(8) - before(8)) / 1000.0
   call MPI_Finalize(e)
end program
