! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/graph.inc with use mpi.
#include "parts/graph.inc"
