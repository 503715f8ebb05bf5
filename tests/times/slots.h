/*
 * Measurements that do not disturb each other: each has a slot of simulated
 * time, at whose start all ranks are there at the same date and no message is
 * on its way. A measurement is what the ranks took from then on.
 *
 * Rank 0 prints a line `NAME: LAST MEAN` for each: the seconds of the slowest
 * rank, and the mean of all ranks. The clock itself must take no time
 * (smpi/wtime:0).
 *
 * SLOT_OFFSET in the environment moves all slots by so many seconds, which must
 * not change what is measured. SLOT_SECS is the length of a slot (1 s).
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of each slot, the first part is for the measurement. */
#define LONGEST 0.9

static int slots_done;
static double slot_start;

/* The next number of a list with commas; moves behind it. */
static inline int next_number(char **list)
{
    long number = strtol(*list, list, 10);

    if (**list == ',')
        ++*list;
    return (int)number;
}

static inline void sleep_secs(double secs)
{
    /* To the nearest: two ranks that go to one date are less than a nanosecond apart. */
    long long nanosecs = (long long)(secs * 1e9 + 0.5);
    struct timespec left = { (time_t)(nanosecs / 1000000000), (long)(nanosecs % 1000000000) };

    nanosleep(&left, NULL);
}

/* A number in the environment. */
static inline double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);

    return text ? atof(text) : otherwise;
}

static inline double slot_secs(void)
{
    return setting("SLOT_SECS", 1);
}

/* Sleeps until the next slot. */
static inline void begin(void)
{
    slots_done++;
    sleep_secs(slots_done * slot_secs() + setting("SLOT_OFFSET", 0) - MPI_Wtime());
    slot_start = MPI_Wtime();
}

/*
 * Ends the slot on the ranks of a communicator, of which rank 0 of the world is the first. What they took is gathered
 * when all have it: its messages would share links with the last ones of the measurement.
 */
static inline void end(const char *name, MPI_Comm comm)
{
    double took = MPI_Wtime() - slot_start, last = 0, sum = 0, *all = NULL;
    const double longest = LONGEST * slot_secs();
    int rank, size;

    if (took < longest)
        sleep_secs(longest - took);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        all = malloc(size * sizeof *all);
    MPI_Gather(&took, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
    if (rank != 0)
        return;
    for (int i = 0; i < size; i++) {
        last = all[i] > last ? all[i] : last;
        sum += all[i];
    }
    if (last > longest) {
        fprintf(stderr, "%s: %g s do not fit a slot of %g s\n", name, last, slot_secs());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("%s: %.12e %.12e\n", name, last, sum / size);
    free(all);
}

#endif
