/* The program of spins_loads.c where loads are seen: an atomic load may wait for an accumulating operation. */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
#include "spins_loads.c"
