! smpi: ranks 4
! smpi: platform none
! smpi: compile-args -DMPIF -fcray-pointer
! smpi: expect-pass
! The program parts/window.inc with mpif.h.
#include "parts/window.inc"
