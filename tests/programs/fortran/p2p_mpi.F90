! smpi: ranks 4
! smpi: compile-args -DMPIMOD
! smpi: expect-pass
! smpi: verified deadlock
! The program parts/p2p.inc with use mpi.
#include "parts/p2p.inc"
