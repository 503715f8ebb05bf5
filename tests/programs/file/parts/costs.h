/*
 * What the programs about the cost of files share. They use no collective operation of several ranks, so that the time
 * of a run is that of its accesses. Files are in /tmp, where the platforms have them.
 */
#ifndef COSTS_H
#define COSTS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Stops the run, as a check that failed. */
static inline void must(int holds, const char *what)
{
    if (!holds) {
        printf("FAIL %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* A new file of this rank alone, with these hints. */
static inline MPI_File costs_open(MPI_Info info)
{
    char name[64];
    MPI_File file;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/smpi-costs-%ld-%d", (long)getpid(), rank);
    must(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file) ==
             MPI_SUCCESS,
         "open");
    return file;
}

#endif
