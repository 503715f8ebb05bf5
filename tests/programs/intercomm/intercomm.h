/*
 * Makes the intercommunicators that the programs of this folder work on: the low
 * ranks of the world against the high ones. Not a program of its own.
 */
#ifndef INTERCOMM_H
#define INTERCOMM_H

#include "../check.h"

static MPI_Comm inter;      /* the intercommunicator */
static MPI_Comm local_comm; /* this rank's side as an intracommunicator */
static int local_rank, local_size, remote_size;
static int is_low; /* this rank is on the side of world rank 0 */

/* The first `low_size` ranks of the world on one side, the others on the other. */
static inline void make_inter(int low_size)
{
    is_low = check_rank < low_size;
    MPI_Comm_split(MPI_COMM_WORLD, is_low, check_rank, &local_comm);
    MPI_Intercomm_create(local_comm, 0, MPI_COMM_WORLD, is_low ? low_size : 0, 12, &inter);
    MPI_Comm_rank(inter, &local_rank);
    MPI_Comm_size(inter, &local_size);
    MPI_Comm_remote_size(inter, &remote_size);
}

static inline void free_inter(void)
{
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local_comm);
}

/* Runs a test on every way to cut the world in two. */
static inline void check_each_cut(void (*test)(void))
{
    for (int low_size = 1; low_size < check_size; low_size++) {
        make_inter(low_size);
        test();
        free_inter();
    }
}

/* The `root` argument of a rooted collective whose root is rank `root` of the low (or high) side. */
static inline int root_argument(int root_is_low, int root)
{
    if (is_low != root_is_low)
        return root;
    return local_rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

#endif
