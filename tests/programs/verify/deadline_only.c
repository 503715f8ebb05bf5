/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* Ranks that only wait for a time, awake or asleep, by any clock: no choice, and soon over. */
#include <mpi.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec now, millisecond = {0, 1000000};
    int rank;
    double start;
    time_t first;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start = MPI_Wtime();
    while (MPI_Wtime() - start < 3600.0)
        ;
    start = MPI_Wtime();
    while (MPI_Wtime() < start + 86400.0)
        usleep(1000);
    clock_gettime(CLOCK_MONOTONIC, &now);
    first = now.tv_sec;
    do {
        nanosleep(&millisecond, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < first + 100);
    first = time(NULL);
    while (time(NULL) < first + 30)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
