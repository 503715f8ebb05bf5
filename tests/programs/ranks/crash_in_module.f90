! smpi: ranks 2
! smpi: requires smpi
! smpi: compile-args -g
! smpi: expect-exit 139
! smpi: expect-stderr-contains in physics::d (
! A procedure of a module is shown with the names of the source.
module physics
  implicit none
contains
  subroutine d(values)
    real, pointer, volatile :: values(:)
    values(1) = 1.0
  end subroutine d
end module physics

program main
  use mpi
  use physics
  implicit none
  real, pointer, volatile :: values(:)
  integer :: rank, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  nullify(values)
  if (rank == 1) call d(values)
  call MPI_Finalize(ierror)
end program main
