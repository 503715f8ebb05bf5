! smpi: ranks 4
! smpi: platform none
! smpi: compile-args -DMPIMOD -fcray-pointer
! smpi: expect-pass
! The program parts/window.inc with use mpi.
#include "parts/window.inc"
