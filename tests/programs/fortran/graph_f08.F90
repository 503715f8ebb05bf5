! smpi: ranks 4
! smpi: compile-args -DMPIF08
! smpi: expect-pass
! The program parts/graph.inc with use mpi_f08.
#include "parts/graph.inc"
