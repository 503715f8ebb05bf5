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
   use mpi
   use iso_fortran_env
   implicit none
   integer :: e, rank
   integer :: line
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   do line = 1, 2
      write(*, '(a,i0)', advance='no') 'rank ', rank
      call MPI_Barrier(MPI_COMM_WORLD, e)
      write(*, '(a,i0)', advance='no') ' line ', line
      call MPI_Barrier(MPI_COMM_WORLD, e)
      print '(a)', ' in pieces'
      call MPI_Barrier(MPI_COMM_WORLD, e)
   end do
   if (rank == 2) write(error_unit, '(a,i0,a)') 'rank ', rank, ' complains'
   call MPI_Finalize(e)
   if (rank == 2) write(*, '(a)', advance='no') 'at the end without newline'
end program
