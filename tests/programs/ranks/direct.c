// smpi: direct
// smpi: requires smpi
// smpi: args a b
// smpi: expect-exit 6
// smpi: stdout-order exact
// smpi: expect-stdout 0 of 1, 3 arguments, slept
// smpi: expect-stdout handler
/* ./program without smpirun is a job of one rank: a normal process with a normal heap, exit code and handlers. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void handler(void) { printf("handler\n"); }

int main(int argc, char **argv)
{
    int rank, size;
    atexit(handler);
    char *block = malloc(1000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    block = realloc(block, 100000);
    MPI_Barrier(MPI_COMM_WORLD);
    struct timespec request = {0, 1000};
    printf("%d of %d, %d arguments, %s\n", rank, size, argc, nanosleep(&request, NULL) == 0 ? "slept" : "did not sleep");
    free(block);
    MPI_Finalize();
    exit(6);
}
