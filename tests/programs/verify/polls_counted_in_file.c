/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 0 counts its polls by the length of a file. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *file;

static void begin(void) { file = fopen("polls.txt", "w"); }

static int count(void)
{
    struct stat about;

    return write(fileno(file), "x", 1) == 1 && fstat(fileno(file), &about) == 0 ? (int)about.st_size : 0;
}

static void end(void) { fclose(file); }

#include "parts/polls_counted.h"
