/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 0 counts its polls by the files that it has made. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char name[40];

static void begin(void) {}

static int count(void)
{
    int made = 0;

    do
        sprintf(name, "poll-%d.txt", made++);
    while (access(name, F_OK) == 0);
    close(creat(name, 0600));
    name[5] = 0;
    return made;
}

static void end(void) {}

#include "parts/polls_counted.h"
