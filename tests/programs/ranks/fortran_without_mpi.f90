! smpi: ranks 2
! smpi: stdout-order exact
! smpi: expect-stdout hello 1
! smpi: expect-stdout hello 1
! A program that never calls MPI runs on every rank.
program plain
   implicit none
   integer, save :: n = 0
   n = n + 1
   print '(a,i2)', 'hello', n
end program
