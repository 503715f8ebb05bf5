! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/error.inc with mpif.h.
#include "parts/error.inc"
