! The library of in_a_library.f90.
subroutine library_sum(value)
  use mpi
  implicit none
  integer, intent(inout) :: value
  integer :: rank, got, ierr
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Sendrecv(value, 1, MPI_INTEGER, 1 - rank, 1, got, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  if (got /= value) value = -1
end subroutine library_sum
