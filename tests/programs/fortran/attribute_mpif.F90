! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/attribute.inc with mpif.h.
#include "parts/attribute.inc"
