! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/completion.inc with mpif.h.
#include "parts/completion.inc"
