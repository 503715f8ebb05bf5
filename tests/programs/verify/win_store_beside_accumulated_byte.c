/* The program of win_store_beside_accumulate.c, with a byte: MPI's accumulating operations are atomic to each other. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/window */
#define LOOK (atomic_store((_Atomic char *)memory, 1), 1)
#define TYPE MPI_BYTE, 1, 0, 1, MPI_BYTE
#include "win_load_beside_accumulate.c"
