/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: library parts/counter.c */
/* smpi: stdout-order exact */
/* smpi: expect-stdout rank 0 counter 11 hidden 1100 */
/* smpi: expect-stdout rank 1 counter 12 hidden 1100 */
/* A library that was linked by our wrapper is each rank's own without being asked for. */
#include "parts/counting.h"

int main(void)
{
    int rank, hidden = count_in_library(&rank);
    printf("rank %d counter %d hidden %d\n", rank, get_counter(), hidden);
    return 0;
}
