! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/coll.inc with use mpi.
#include "parts/coll.inc"
