! smpi: ranks 2
! smpi: stdout-order exact
! smpi: expect-stdout hello 1
! smpi: expect-stdout hello 1
! smpi: expect-exit 2
! smpi: expect-stderr-contains no rank called MPI_Init
! A program that calls no function of MPI, although it could, runs on every rank, and smpirun says what was expected.
program plain
   use mpi
   implicit none
   integer, save :: n = 0
   integer :: ierror
   if (command_argument_count() > 0) call MPI_Init(ierror)
   n = n + 1
   print '(a,i2)', 'hello', n
end program
