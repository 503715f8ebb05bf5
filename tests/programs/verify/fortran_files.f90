! Units that are connected when a choice is made, one of them a scratch file: what is read back is what this execution wrote.
! smpi: ranks 3
! smpi: expect-no-finding
! smpi: expect-complete
! smpi: expect-executions zero=2 infinite=2
program files
  use mpi_f08
  implicit none
  integer :: rank, source, i, number, scratch, kind, status
  character(len=40) :: line
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  write (line, '(a, i0, a)') 'fortran_files_', rank, '.txt'
  open (newunit=number, file=trim(line), status='replace', action='readwrite')
  open (newunit=scratch, status='scratch', form='unformatted')
  write (number, '(a)') 'before'
  write (scratch) -1
  if (rank == 0) then
    do i = 1, 2
      call MPI_Recv(source, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      write (number, '(a, i0)') 'message ', source
      flush (number)
      write (scratch) source
      if (source == 2) write (scratch) 22
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
  end if
  rewind (scratch)
  i = 0
  do
    read (scratch, iostat=status) kind
    if (status /= 0) exit
    if ((i == 0) .neqv. (kind == -1)) error stop 'scratch'
    i = i + 1
  end do
  if (i /= merge(4, 1, rank == 0)) error stop 'records'
  rewind (number)
  read (number, '(a)') line
  if (line /= 'before') error stop 'line'
  close (number)
  call MPI_Finalize()
end program
