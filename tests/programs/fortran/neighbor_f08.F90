! smpi: ranks 4
! smpi: compile-args -DMPIF08
! smpi: requires smpi
! smpi: expect-pass
! The program parts/neighbor.inc with use mpi_f08.
#include "parts/neighbor.inc"
