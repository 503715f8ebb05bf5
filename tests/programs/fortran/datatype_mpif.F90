! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/datatype.inc with mpif.h.
#include "parts/datatype.inc"
