/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: library parts/counter.c */
/* smpi: plain-library */
/* smpi: stdout-order exact */
/* smpi: expect-stdout rank 0 counter 11 11 */
/* smpi: expect-stdout rank 1 counter 12 12 */
/* A program that uses a variable of a library has a copy of it; the library is then private, so that both use the same. */
#include "parts/counting.h"

extern int counter;

int main(void)
{
    int rank;
    count_in_library(&rank);
    printf("rank %d counter %d %d\n", rank, get_counter(), counter);
    return 0;
}
