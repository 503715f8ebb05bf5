/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 0 counts its polls by the descriptors that it has. */
#include <unistd.h>

static int first;

static void begin(void)
{
    first = dup(0);
    close(first);
}

static int count(void) { return dup(0) + 1 - first; }

static void end(void)
{
    for (int file = first; file < first + 10; file++)
        close(file);
}

#include "parts/polls_counted.h"
