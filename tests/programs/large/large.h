/*
 * Memory beyond 2^31 bytes that costs little: large_sparse() takes pages only where something is written, and
 * large_repeated() shows the same few pages again and again, so that whole gigabytes can be written.
 */
#ifndef LARGE_H
#define LARGE_H

#define _GNU_SOURCE
#include "../check.h"
#include <sys/mman.h>
#include <unistd.h>

/* More than an int can count. */
#define BEYOND ((MPI_Count)1 << 31)

static inline char *large_map(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (start == MAP_FAILED) {
        perror("mmap");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return start;
}

/* Zeros, until something is written. */
static inline char *large_sparse(MPI_Count size)
{
    return large_map((size_t)size);
}

/* Memory whose byte i is also byte i + LARGE_PERIOD. */
#define LARGE_PERIOD ((size_t)64 << 20)

static inline char *large_repeated(MPI_Count size)
{
    char *start = large_map((size_t)size + LARGE_PERIOD);
    int file = memfd_create("large", 0);

    if (file < 0 || ftruncate(file, LARGE_PERIOD) != 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (size_t at = 0; at < (size_t)size; at += LARGE_PERIOD)
        if (mmap(start + at, LARGE_PERIOD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            MPI_Abort(MPI_COMM_WORLD, 3);
    close(file);
    return start;
}

static inline void large_unmap(char *start, MPI_Count size)
{
    munmap(start, (size_t)size);
}

#endif
