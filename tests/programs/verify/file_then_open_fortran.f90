! What MPI wrote is what OPEN, READ and INQUIRE of Fortran find.
! smpi: ranks 2
! smpi: expect-no-finding
! smpi: passes race/file
! smpi: expect-complete
program file_then_open
  use mpi_f08
  implicit none
  character(len=*), parameter :: name = 'file_then_open_fortran.dat'
  type(MPI_File) :: file
  integer :: rank, unit, value, i
  logical :: there
  character(len=7) :: line
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY + MPI_MODE_CREATE, MPI_INFO_NULL, file)
  write (line, '(i6, a)') rank + 40, new_line('a')
  call MPI_File_write_at_all(file, 7_MPI_OFFSET_KIND * rank, line, 7, MPI_CHARACTER, MPI_STATUS_IGNORE)
  call MPI_File_close(file)
  call MPI_Barrier(MPI_COMM_WORLD)
  inquire (file=name, exist=there)
  if (.not. there) error stop 'inquire'
  open (newunit=unit, file=name, status='old', action='read')
  do i = 0, 1
    read (unit, *) value
    if (value /= 40 + i) error stop 'value'
  end do
  close (unit)
  call MPI_Finalize()
end program
