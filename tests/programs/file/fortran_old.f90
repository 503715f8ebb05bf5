! smpi: ranks 2
! smpi: requires gfortran
! smpi: expect-pass
! smpi: expect-stdout PASS
! Files by mpif.h and in the module mpi.
subroutine writes(name, rank, failures)
  implicit none
  include 'mpif.h'
  character(len=*) :: name
  integer :: rank, failures, file, ierr, value, status(MPI_STATUS_SIZE), count
  integer(kind=MPI_OFFSET_KIND) :: offset

  call MPI_FILE_OPEN(MPI_COMM_WORLD, name, MPI_MODE_WRONLY + MPI_MODE_CREATE, MPI_INFO_NULL, file, ierr)
  if (ierr /= MPI_SUCCESS) failures = failures + 1
  value = 7 + rank
  offset = 4 * rank
  call MPI_FILE_WRITE_AT(file, offset, value, 1, MPI_INTEGER, status, ierr)
  call MPI_GET_COUNT(status, MPI_INTEGER, count, ierr)
  if (count /= 1) failures = failures + 1
  call MPI_FILE_CLOSE(file, ierr)
  if (file /= MPI_FILE_NULL) failures = failures + 1
end subroutine writes

program files
  use mpi
  implicit none
  integer :: rank, failures, total, ierr, file, value, status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: offset
  logical :: atomic
  character(len=40) :: name = '/tmp/smpi-fortran-old'

  failures = 0
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call writes(name, rank, failures)
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  call MPI_FILE_OPEN(MPI_COMM_WORLD, name, MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, ierr)
  call MPI_FILE_SET_ATOMICITY(file, .true., ierr)
  call MPI_FILE_GET_ATOMICITY(file, atomic, ierr)
  if (.not. atomic) failures = failures + 1
  offset = 4 * (1 - rank)
  call MPI_FILE_SEEK(file, offset, MPI_SEEK_SET, ierr)
  call MPI_FILE_READ_ALL_BEGIN(file, value, 1, MPI_INTEGER, ierr)
  call MPI_FILE_READ_ALL_END(file, value, status, ierr)
  if (value /= 7 + 1 - rank) failures = failures + 1
  call MPI_FILE_CLOSE(file, ierr)
  call MPI_REDUCE(failures, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. total == 0) print '(a)', 'PASS'
  call MPI_FINALIZE(ierr)
end program files
