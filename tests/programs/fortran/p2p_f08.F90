! smpi: ranks 4
! smpi: compile-args -DMPIF08
! smpi: expect-pass
! smpi: verified deadlock
! The program parts/p2p.inc with use mpi_f08.
#include "parts/p2p.inc"
