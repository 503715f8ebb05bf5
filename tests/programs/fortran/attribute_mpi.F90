! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/attribute.inc with use mpi.
#include "parts/attribute.inc"
