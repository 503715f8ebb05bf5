! smpi: ranks 2
! smpi: requires gfortran
! smpi: expect-pass
! smpi: expect-stdout PASS
! smpi: verified leak/datatype
! Files in mpi_f08: offsets, views, statuses, error handlers.
program files
  use mpi_f08
  implicit none
  type(MPI_File) :: file
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  type(MPI_Datatype) :: every_other, etype, filetype
  integer(MPI_OFFSET_KIND) :: offset, disp
  integer :: rank, ranks, ierr, count, i, failures, total
  integer :: values(4), found(4)
  character(len=MPI_MAX_DATAREP_STRING) :: representation
  character(len=200) :: name

  failures = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  name = '/tmp/smpi-fortran-2008  '
  call MPI_File_open(MPI_COMM_WORLD, '/no/such/file', MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierr)
  if (ierr == MPI_SUCCESS) failures = failures + 1
  call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, ierr)
  if (ierr /= MPI_SUCCESS) failures = failures + 1
  call MPI_Type_vector(4, 1, ranks, MPI_INTEGER, etype)
  call MPI_Type_create_resized(etype, 0_MPI_ADDRESS_KIND, int(16 * ranks, MPI_ADDRESS_KIND), every_other)
  call MPI_Type_commit(every_other)
  disp = 4 * rank
  call MPI_File_set_view(file, disp, MPI_INTEGER, every_other, 'native', MPI_INFO_NULL)
  values = [(100 * rank + i, i = 1, 4)]
  call MPI_File_write_all(file, values, 4, MPI_INTEGER, status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  if (count /= 4) failures = failures + 1
  call MPI_File_sync(file)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_get_view(file, offset, etype, filetype, representation)
  if (offset /= disp .or. etype /= MPI_INTEGER .or. representation /= 'native') failures = failures + 1
  call MPI_Type_free(filetype)
  disp = 0
  call MPI_File_set_view(file, disp, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
  offset = 4 * (1 - rank)
  call MPI_File_iread_at(file, offset, found, 4, MPI_INTEGER, request)
  call MPI_Wait(request, status)
  do i = 1, 4
    if (found(i) /= 100 * mod(i - 1, 2) + (i - 1) / 2 + 1 + 2 * (1 - rank)) failures = failures + 1
  end do
  call MPI_File_get_size(file, offset)
  if (offset /= 16 * ranks) failures = failures + 1
  call MPI_File_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
  call MPI_File_read_ordered(file, found, 1, MPI_INTEGER, status)
  if (found(1) /= 100 * rank + 1) failures = failures + 1
  call MPI_File_close(file)
  if (file /= MPI_FILE_NULL) failures = failures + 1
  call MPI_Type_free(every_other)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0 .and. total == 0) print '(a)', 'PASS'
  call MPI_Finalize()
end program files
