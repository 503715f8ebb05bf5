! smpi: ranks 4
! smpi: compile-args -DMPIF
! smpi: expect-pass
! smpi: verified deadlock
! The program parts/p2p.inc with mpif.h.
#include "parts/p2p.inc"
