/* The program of spins_loads.c where loads are seen: an atomic load has an order with an accumulating operation. */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=3 infinite=3 */
#include "spins_loads.c"
