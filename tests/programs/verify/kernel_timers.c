/* Timers of the kernel run beside the ranks in real time, whether they send a signal or are read; when they expire is
 * not explored, and both are said. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains timer_create() */
/* smpi: expect-stderr-contains timerfd_create() */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        timer_t timer;
        struct sigevent none = {.sigev_notify = SIGEV_NONE};
        assert(timer_create(CLOCK_MONOTONIC, &none, &timer) == 0);
        timer_delete(timer);
    } else {
        int timer = timerfd_create(CLOCK_MONOTONIC, 0);
        assert(timer >= 0);
        close(timer);
    }
    MPI_Finalize();
    return 0;
}
