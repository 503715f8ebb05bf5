! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/comm.inc with use mpi.
#include "parts/comm.inc"
