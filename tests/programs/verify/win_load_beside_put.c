/* The program of win_load_beside_accumulate.c, with a put. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains atomic loads of C or C++ may see */
#define UPDATE MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window)
#include "win_load_beside_accumulate.c"
