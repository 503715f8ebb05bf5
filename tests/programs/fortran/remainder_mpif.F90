! smpi: ranks 2
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/remainder.inc with mpif.h.
#include "parts/remainder.inc"
