! smpi: ranks 4
! smpi: compile-args -DMPIF08
! smpi: expect-pass
! The program parts/attribute.inc with use mpi_f08.
#include "parts/attribute.inc"
