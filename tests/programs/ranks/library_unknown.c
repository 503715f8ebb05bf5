/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: library parts/counter.c */
/* smpi: smpirun-args --privatize libnone.so */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains --privatize libnone.so: the program loads no library of that name */
/* smpi: expect-stderr-contains libraries that can be private: libpart.so */
/* A name that means nothing is refused, with those that would. */
#include "parts/counting.h"

int main(void)
{
    int rank;
    return count_in_library(&rank);
}
