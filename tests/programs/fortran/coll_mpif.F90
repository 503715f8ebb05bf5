! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/coll.inc with mpif.h.
#include "parts/coll.inc"
