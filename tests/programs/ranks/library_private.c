/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: library parts/counter.c */
/* smpi: plain-library */
/* smpi: smpirun-args --privatize libpart.so */
/* smpi: env SMPI_TEST_SAY_END=1 */
/* smpi: twice */
/* smpi: shuffled */
/* smpi: stdout-order exact */
/* smpi: expect-stdout rank 0 counter 11 hidden 1100 */
/* smpi: expect-stdout library ends with 11 */
/* smpi: expect-stdout rank 1 counter 12 hidden 1100 */
/* smpi: expect-stdout library ends with 12 */
/* smpi: expect-stdout rank 2 counter 13 hidden 1100 */
/* smpi: expect-stdout library ends with 13 */
/* With --privatize each rank has its own library: variables, constructors and destructors. */
#include "parts/counting.h"

int main(void)
{
    int rank, hidden = count_in_library(&rank);
    printf("rank %d counter %d hidden %d\n", rank, get_counter(), hidden);
    return 0;
}
