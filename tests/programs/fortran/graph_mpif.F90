! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/graph.inc with mpif.h.
#include "parts/graph.inc"
