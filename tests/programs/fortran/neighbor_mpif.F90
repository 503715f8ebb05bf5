! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/neighbor.inc with mpif.h.
#include "parts/neighbor.inc"
