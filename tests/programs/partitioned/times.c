/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* Each partition travels as it becomes ready: what happens between two of them overlaps with the first, and only the last
 * is left when all are ready. Beside the bytes there is a latency of some 3 % of the time of a partition. */
#include "../check.h"
#include <math.h>
#include <time.h>

/* 32 ms at the 1 Gbit/s of platforms/gigabit-64.toml; protocols take some percent more. */
enum { BYTES = 4000000 };

/* Simulated time passes. */
static void pause_for(double seconds)
{
    struct timespec time = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    nanosleep(&time, NULL);
}

static double run(int partitions, double pause)
{
    char *data = malloc((size_t)BYTES * partitions);
    MPI_Request request;
    double start;

    memset(data, 0, (size_t)BYTES * partitions);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (check_rank == 0) {
        MPI_Psend_init(data, partitions, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int i = 0; i < partitions; i++) {
            if (i > 0)
                pause_for(pause);
            MPI_Pready(i, request);
        }
    } else {
        MPI_Precv_init(data, 1, BYTES * partitions, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    free(data);
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    double one = run(1, 0);
    double two_at_once = run(2, 0);
    double two_overlapped = run(2, 10 * one);
    double four_overlapped = run(4, 10 * one);
    CHECK(one > 0.8 * BYTES / 125e6 && one < 1.3 * BYTES / 125e6);
    CHECK(two_at_once / one > 1.9 && two_at_once / one < 2);
    CHECK(fabs(two_overlapped / one - 11) < 0.01);
    CHECK(fabs(four_overlapped / one - 31) < 0.01);
    return check_end();
}
