! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/error.inc with use mpi.
#include "parts/error.inc"
