! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/datatype.inc with use mpi.
#include "parts/datatype.inc"
