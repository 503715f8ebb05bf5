! smpi: ranks 3
! smpi: expect-finding deadlock
! Two messages to one receive: in one order the receiver waits for a message that nobody sends. Units, module variables and
! random numbers go back with the rank.
program verified
   use iso_c_binding
   implicit none
   include 'parts/mpi_c.inc'
   integer(c_int) :: e, rank
   integer(c_int), save :: first = 0, second
   real :: x
   character(len=40) :: line
   e = MPI_Init(c_null_ptr, c_null_ptr)
   e = MPI_Comm_rank(world, rank)
   call random_number(x)
   write(line, '(a,i0,f8.5)') 'rank ', rank, x
   print '(a)', line
   if (rank > 0) then
      first = rank
      e = MPI_Send(first, 1, int_type, 0, 0, world)
   else
      if (first /= 0) error stop 'a variable was not put back'
      e = MPI_Recv(first, 1, int_type, -1, 0, world, no_status)
      write(*, '(a,i0)') 'first ', first
      if (first == 2) e = MPI_Recv(second, 1, int_type, 2, 0, world, no_status)
      e = MPI_Recv(second, 1, int_type, -1, 0, world, no_status)
   end if
   e = MPI_Finalize()
end program
