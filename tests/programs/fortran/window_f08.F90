! smpi: ranks 4
! smpi: platform none
! smpi: compile-args -DMPIF08
! smpi: expect-pass
! The program parts/window.inc with use mpi_f08.
#include "parts/window.inc"
