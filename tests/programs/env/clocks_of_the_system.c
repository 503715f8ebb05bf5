/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: timeout 120 */
/* smpi: verified exit-code */
/*
 * A loop that waits for a clock of the system ends although computation takes
 * no simulated time (--compute=off), as one on MPI_Wtime does; and all clocks
 * agree.
 */
#include "../check.h"
#include <sys/time.h>
#include <time.h>

static double system_seconds(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

static double posix_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double standard_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double whole_seconds(void)
{
    return (double)time(NULL);
}

/* Waits in a loop for `seconds`, and little longer. */
static void wait_by(double (*clock_seconds)(void), double seconds, double resolution)
{
    double start = clock_seconds(), before = MPI_Wtime(), took;

    while (clock_seconds() - start < seconds)
        ;
    took = MPI_Wtime() - before;
    CHECK(took > seconds - resolution && took < seconds * 1.001 + resolution);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    wait_by(system_seconds, 1, 2e-6);
    wait_by(posix_seconds, 1, 2e-6);
    wait_by(standard_seconds, 1, 2e-6);
    wait_by(MPI_Wtime, 5, 1e-6);
    wait_by(whole_seconds, 1, 1);
    return check_end();
}
