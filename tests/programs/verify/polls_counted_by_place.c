/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 0 counts its polls by its place in a file. */
#include <fcntl.h>
#include <unistd.h>

static int file;

static void begin(void) { file = open("polls.txt", O_RDWR | O_CREAT | O_TRUNC, 0600); }

static int count(void) { return (int)lseek(file, 1, SEEK_CUR); }

static void end(void) { close(file); }

#include "parts/polls_counted.h"
