! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! The program parts/completion.inc with use mpi.
#include "parts/completion.inc"
