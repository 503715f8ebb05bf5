! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: requires smpi
! smpi: expect-pass
! The program parts/persistent.inc with use mpi.
#include "parts/persistent.inc"
