! smpi: ranks 3
! smpi: expect-finding assertion
! smpi: expect-executions 3
C     What a Fortran program says to the checker, in old style: an assertion about a number that is chosen.
      program chooses
      implicit none
      include 'mpif.h'
      integer rank, error, chosen
      integer MC_random
      logical MC_is_active
      external MC_random, MC_is_active
      call MPI_INIT(error)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
      if (rank .eq. 1) then
        chosen = MC_random(4, 6)
        call MC_assert(chosen .ne. 6)
      end if
      call MC_assert(MC_is_active())
      call MPI_FINALIZE(error)
      end
