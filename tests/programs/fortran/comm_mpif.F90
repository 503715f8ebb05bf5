! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! The program parts/comm.inc with mpif.h.
#include "parts/comm.inc"
