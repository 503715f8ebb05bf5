! smpi: ranks 2
! smpi: compile-args -DMPIF
! smpi: requires smpi
! smpi: expect-pass
! The program parts/spawn.inc with mpif.h.
#include "parts/spawn.inc"
