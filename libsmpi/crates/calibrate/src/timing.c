/*
 * How long each rank of a program is inside MPI: a library on MPI's profiling interface, to be preloaded.
 *
 * It counts the seconds between MPI_Init's return and MPI_Finalize's call, and those that are spent in MPI functions
 * meanwhile. Rank 0 writes a line "rank SECONDS INSIDE" for each rank into the file that SMPI_TIMING_FILE names. The
 * wrappers of all other functions are generated behind this text (see shim.rs). The same library works under every MPI
 * with the standard ABI, the simulated one included, so that both sides count the same.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int depth, is_running;
static double begin_secs, inside_secs;

static double enter(void)
{
    return depth++ == 0 && is_running ? PMPI_Wtime() : 0;
}

static void leave(double entered)
{
    if (--depth == 0 && is_running)
        inside_secs += PMPI_Wtime() - entered;
}

/* Processes are not started at one instant: the barrier keeps the time that the first one waits out of the figures. */
static int started(int error)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    is_running = 1;
    begin_secs = PMPI_Wtime();
    return error;
}

int MPI_Init(int *argc, char ***argv)
{
    return started(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return started(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize(void)
{
    double mine[2] = {PMPI_Wtime() - begin_secs, inside_secs}, *all = NULL;
    const char *name = getenv("SMPI_TIMING_FILE");
    int rank, ranks;

    is_running = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        all = malloc(2 * sizeof *all * (size_t)ranks);
    PMPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        FILE *file = name == NULL ? NULL : fopen(name, "w");

        if (file != NULL) {
            for (int i = 0; i < ranks; i++)
                fprintf(file, "rank %.9e %.9e\n", all[2 * i], all[2 * i + 1]);
            fclose(file);
        }
        free(all);
    }
    return PMPI_Finalize();
}

