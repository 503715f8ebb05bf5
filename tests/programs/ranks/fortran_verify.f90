! smpi: ranks 3
! smpi: expect-finding deadlock
! Two messages to one receive: in one order the receiver waits for a message that nobody sends. Units, module variables and
! random numbers go back with the rank.
program verified
   use mpi
   implicit none
   integer :: e, rank
   integer, save :: first = 0, second
   real :: x
   character(len=40) :: line
   call MPI_Init(e)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
   call random_number(x)
   write(line, '(a,i0,f8.5)') 'rank ', rank, x
   print '(a)', line
   if (rank > 0) then
      first = rank
      call MPI_Send(first, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, e)
   else
      if (first /= 0) error stop 'a variable was not put back'
      call MPI_Recv(first, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      write(*, '(a,i0)') 'first ', first
      if (first == 2) call MPI_Recv(second, 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      call MPI_Recv(second, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
   end if
   call MPI_Finalize(e)
end program
