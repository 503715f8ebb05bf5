/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: smpirun-args --compute=measured */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/*
 * Programs that time their own computation with a clock of the system see it:
 * what was computed is charged when they look, not at the next MPI call.
 */
#include "../check.h"
#include <sys/time.h>

static double seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

int main(int argc, char **argv)
{
    volatile double sum = 0;
    double start, computed, mpi_start;

    check_begin(&argc, &argv);
    mpi_start = MPI_Wtime();
    start = seconds();
    for (int i = 1; i < 20000000; i++)
        sum += 1.0 / i;
    computed = seconds() - start;
    CHECK(computed > 1e-4);
    CHECK(MPI_Wtime() - mpi_start >= computed - 1e-6);
    return check_end();
}
