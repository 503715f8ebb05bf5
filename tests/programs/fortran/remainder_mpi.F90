! smpi: ranks 2
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/remainder.inc with use mpi.
#include "parts/remainder.inc"
