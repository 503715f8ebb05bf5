/* The program of atomics_lost_update.c, which tries again where another rank came between: a loop that ends. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#define ADD \
    for (int known = atomic_load(number); !atomic_compare_exchange_weak(number, &known, known + 1);) { }
#include "atomics_lost_update.c"
