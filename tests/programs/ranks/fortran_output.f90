! smpi: ranks 3
! smpi: twice
! smpi: shuffled
! smpi: stdout-order exact
! smpi: expect-stdout rank 0 line 1 in pieces
! smpi: expect-stdout rank 1 line 1 in pieces
! smpi: expect-stdout rank 2 line 1 in pieces
! smpi: expect-stdout rank 0 line 2 in pieces
! smpi: expect-stdout rank 1 line 2 in pieces
! smpi: expect-stdout rank 2 line 2 in pieces
! smpi: expect-stdout at the end without newline
! smpi: expect-stderr-contains rank 2 complains
! Lines of ranks are never mixed, and come in the order of the ranks within an instant.
program output
   use iso_c_binding
   use iso_fortran_env
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   integer :: line
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   do line = 1, 2
      write(*, '(a,i0)', advance='no') 'rank ', rank
      e = MPI_Barrier(world)
      write(*, '(a,i0)', advance='no') ' line ', line
      e = MPI_Barrier(world)
      print '(a)', ' in pieces'
      e = MPI_Barrier(world)
   end do
   if (rank == 2) write(error_unit, '(a,i0,a)') 'rank ', rank, ' complains'
   e = MPI_Finalize()
   if (rank == 2) write(*, '(a)', advance='no') 'at the end without newline'
end program
