/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Rank 0 writes the same to the same place of a file whenever it has polled, and to a pipe that it reads. */
#include <fcntl.h>
#include <unistd.h>

static int file, ends[2];

static void begin(void)
{
    file = open("polls.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    (void)!pipe(ends);
}

static int count(void)
{
    char byte = 'x';

    return write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1 && pread(file, &byte, 1, 0) >= 0 &&
                   lseek(file, 3, SEEK_SET) == 3
               ? 1
               : 100;
}

static void end(void)
{
    close(file);
    close(ends[0]);
    close(ends[1]);
}

#include "parts/polls_counted.h"
