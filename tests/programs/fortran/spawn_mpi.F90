! smpi: ranks 2
! smpi: compile-args -DMPIMOD
! smpi: requires smpi
! smpi: expect-pass
! The program parts/spawn.inc with use mpi.
#include "parts/spawn.inc"
