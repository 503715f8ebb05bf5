/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 0 counts its polls by the byte that waits in a pipe, which is another one each time. */
#include <unistd.h>

static int ends[2];

static int put(char value) { return write(ends[1], &value, 1) == 1 ? value : -1; }

static void begin(void)
{
    if (pipe(ends) == 0)
        put(0);
}

static int count(void)
{
    char value;

    return read(ends[0], &value, 1) == 1 ? put(value + 1) : -1;
}

static void end(void)
{
    close(ends[0]);
    close(ends[1]);
}

#include "parts/polls_counted.h"
