/* Sleeping is simulated time, which costs nothing: no call timeout, however long. */
/* smpi: ranks 2 */
/* smpi: verify --call-timeout 1 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    struct timespec day = {86400, 0};
    nanosleep(&day, NULL);
    sleep(86400);
    usleep(500000);
    poll(NULL, 0, 86400 * 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
