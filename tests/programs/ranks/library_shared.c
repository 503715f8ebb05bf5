/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: library parts/counter.c */
/* smpi: plain-library */
/* smpi: expect-stdout counter 13 */
/* smpi: expect-stdout counter 23 */
/* smpi: expect-stderr-contains variable counter of libpart.so is written by two ranks */
/* smpi: expect-stderr-contains variable hidden of libpart.so is written by two ranks */
/* A library that was not built for us exists once, and a warning names the variables that ranks share. */
#include "parts/counting.h"

int main(void)
{
    int rank;
    count_in_library(&rank);
    printf("counter %d\n", get_counter());
    return 0;
}
