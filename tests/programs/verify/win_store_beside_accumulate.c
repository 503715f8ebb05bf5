/* The program of win_load_beside_accumulate.c, with an atomic store of C: that is no accumulating operation of MPI. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/window */
#define LOOK (atomic_store((_Atomic int *)memory, 1), 1)
#include "win_load_beside_accumulate.c"
