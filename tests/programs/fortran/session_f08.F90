! smpi: ranks 2
! smpi: compile-args -DMPIF08
! smpi: requires smpi
! smpi: expect-pass
! The program parts/session.inc with use mpi_f08.
#include "parts/session.inc"
