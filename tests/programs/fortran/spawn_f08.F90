! smpi: ranks 2
! smpi: compile-args -DMPIF08
! smpi: requires smpi
! smpi: expect-pass
! The program parts/spawn.inc with use mpi_f08.
#include "parts/spawn.inc"
