! smpi: ranks 2
! smpi: stdout-order exact
! smpi: expect-stdout hello 1
! smpi: expect-stdout hello 1
! smpi: expect-exit 2
! smpi: expect-stderr-contains no rank called MPI_Init
! A program that could call MPI and never does runs on every rank, and smpirun says that it should have called it.
program plain
   implicit none
   integer, save :: n = 0
   integer :: error
   n = n + 1
   print '(a,i2)', 'hello', n
   if (command_argument_count() > 0) call MPI_Init(error)
end program
