! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: requires smpi
! smpi: expect-pass
! The program parts/persistent.inc with mpif.h.
#include "parts/persistent.inc"
