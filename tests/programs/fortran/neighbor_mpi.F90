! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/neighbor.inc with use mpi.
#include "parts/neighbor.inc"
