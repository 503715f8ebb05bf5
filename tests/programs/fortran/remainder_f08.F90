! smpi: ranks 2
! smpi: compile-args -DMPIF08
! smpi: expect-pass
! The program parts/remainder.inc with use mpi_f08.
#include "parts/remainder.inc"
