! What the Fortran benchmarks share around their kernels: reading the class from the command line,
! refusing a run that cannot be done, comparing results with reference values, the closing report.
!
! The report is a block of `label = value` lines in the order of the NAS benchmarks, so that scripts
! written for those read these too. report.h is the same for C.
module nas_report
  use, intrinsic :: iso_fortran_env, only: dp => real64, output_unit, error_unit, compiler_options
  use mpi
  implicit none
  private
  public :: dp, refuse, class_argument, decimal, all_close, print_report

  ! Results may differ from the reference values by this, relatively.
  real(dp), parameter :: tolerance = 1.0e-8_dp

  ! What a finished run has to say about itself.
  type, public :: report
    character(len=2) :: benchmark
    character :: class
    integer :: edge = 0           ! grid points along each edge of the cube
    integer :: iterations = 0
    integer :: ranks = 0
    real(dp) :: seconds = 0
    real(dp) :: operations = 0    ! in the whole run; the rate is derived from it
    logical :: verified = .false.
  end type report

contains

  ! Says on rank 0 why the run cannot be done, and ends the program with exit code 2. Collective.
  subroutine refuse(message)
    character(len=*), intent(in) :: message
    integer :: rank, ierror

    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) write (error_unit, '(2a)') 'error: ', message
    call MPI_Finalize(ierror)
    stop 2, quiet=.true.
  end subroutine refuse

  ! The class given as only argument. Rank 0 reads it and tells the others; refuses the run if it is
  ! none of `known`.
  function class_argument(program_name, known) result(class)
    character(len=*), intent(in) :: program_name, known
    character :: class
    character(len=80) :: argument
    integer :: rank, ierror

    argument = ''
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0 .and. command_argument_count() == 1) call get_command_argument(1, argument)
    call MPI_Bcast(argument, len(argument), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
    class = argument(1:1)
    if (argument == '') then
      call refuse('expected the class as only argument; usage: '//program_name//' CLASS')
    else if (len_trim(argument) /= 1 .or. index(known, class) == 0) then
      call refuse("unknown class '"//trim(argument)//"': expected one letter of "//known// &
                  '; usage: '//program_name//' CLASS')
    end if
  end function class_argument

  ! A number as text.
  pure function decimal(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: digits

    write (digits, '(i0)') number
    text = trim(digits)
  end function decimal

  ! Prints results beside their reference values, and says whether all agree.
  function all_close(title, values, expected) result(close)
    character(len=*), intent(in) :: title
    real(dp), intent(in) :: values(:), expected(:)
    logical :: close, agrees
    real(dp) :: error
    integer :: m

    close = .true.
    write (output_unit, '(2a)') title, ': found, expected, relative error'
    do m = 1, size(values)
      error = abs((values(m) - expected(m)) / expected(m))
      agrees = error <= tolerance ! a value that is not a number does not
      write (output_unit, '(1x, a2, i3, 2es22.13, es10.1)') merge('  ', '!!', agrees), m, values(m), expected(m), error
      close = close .and. agrees
    end do
  end function all_close

  ! Prints the report. To be called on one rank only.
  subroutine print_report(run)
    type(report), intent(in) :: run
    real(dp) :: rate
    character(len=24) :: text

    rate = 0
    if (run%seconds > 0) rate = run%operations * 1.0e-6_dp / run%seconds
    write (text, '(i0, 2("x", i0))') run%edge, run%edge, run%edge
    write (output_unit, '(//1x, 2a)') run%benchmark, ' Benchmark Completed'
    write (output_unit, '(a, a24)') ' Class           = ', run%class
    write (output_unit, '(a, a24)') ' Size            = ', adjustr(text)
    write (output_unit, '(a, i24)') ' Iterations      = ', run%iterations
    write (output_unit, '(a, f24.9)') ' Time in seconds = ', run%seconds
    write (output_unit, '(a, i24)') ' Total processes = ', run%ranks
    write (output_unit, '(a, i24)') ' Active processes= ', run%ranks
    write (output_unit, '(a, f24.2)') ' Mop/s total     = ', rate
    write (output_unit, '(a, f24.2)') ' Mop/s/process   = ', rate / run%ranks
    write (output_unit, '(a, a24)') ' Operation type  = ', 'floating point'
    write (output_unit, '(a, a24)') ' Verification    = ', merge('  SUCCESSFUL', 'UNSUCCESSFUL', run%verified)
    write (output_unit, '(a, a24)') ' Version         = ', 'libsmpi 1'
    write (output_unit, '(a, a24)') ' Compile date    = ', 'not recorded'
    write (output_unit, '(2a)') ' Compile options = ', compiler_options()
    flush (output_unit)
  end subroutine print_report

end module nas_report
