/* The program of win_load_beside_accumulate.c, with a load that the compiler may move or repeat: a race. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/window */
#define LOOK *memory
#include "win_load_beside_accumulate.c"
