! smpi: ranks 2
! smpi: stdout-order exact
! smpi: expect-stdout hello 1
! smpi: expect-stdout hello 1
! smpi: expect-exit 2
! smpi: expect-stderr-contains no rank called MPI_Init
! A program that never calls MPI runs on every rank, and smpirun says that it should have been an MPI program.
program plain
   implicit none
   integer, save :: n = 0
   n = n + 1
   print '(a,i2)', 'hello', n
end program
