! smpi: ranks 4
! smpi: args first second
! smpi: env SMPI_TEST_WORD=forty two
! smpi: twice
! smpi: stdout-order exact
! smpi: expect-stdout rank 0 reads 0 0 of rank-0.tmp, 2 arguments: first second, forty two
! smpi: expect-stdout rank 1 reads 10 1 of rank-1.tmp, 2 arguments: first second, forty two
! smpi: expect-stdout rank 2 reads 20 4 of rank-2.tmp, 2 arguments: first second, forty two
! smpi: expect-stdout rank 3 reads 30 9 of rank-3.tmp, 2 arguments: first second, forty two
! Every rank opens unit 10 on a file of its own, and has the arguments and the environment.
program units
   use mpi
   implicit none
   integer :: e, rank
   integer :: a, b, scratch
   character(len=20) :: name, opened
   character(len=30) :: first, second, word
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   write(name, '(a,i0,a)') 'rank-', rank, '.tmp'
   open(unit=10, file=name, status='replace', action='readwrite')
   open(newunit=scratch, status='scratch', form='unformatted')
   call MPI_Barrier(MPI_COMM_WORLD, e)
   write(10, *) 10 * rank
   write(scratch) rank * rank
   call MPI_Barrier(MPI_COMM_WORLD, e)
   rewind(10)
   rewind(scratch)
   read(10, *) a
   read(scratch) b
   inquire(unit=10, name=opened)
   call MPI_Barrier(MPI_COMM_WORLD, e)
   close(10, status='delete')
   close(scratch)
   call get_command_argument(1, first)
   call get_command_argument(2, second)
   call get_environment_variable('SMPI_TEST_WORD', word)
   opened = opened(index(opened, '/', back=.true.) + 1:)
   write(*, '(a,i0,a,i0,1x,i0,4a,i0,6a)') 'rank ', rank, ' reads ', a, b, ' of ', trim(opened), ', ', '', &
      command_argument_count(), ' arguments: ', trim(first), ' ', trim(second), ', ', trim(word)
   call MPI_Finalize(e)
end program
