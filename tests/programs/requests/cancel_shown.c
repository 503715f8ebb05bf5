/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified non-termination */
/* A send that MPI_Request_get_status has called complete is not cancelled any more (MPI 5.0 section 3.8.4: cancelled is what is
 * pending); its message is received. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 5, shown = 0, cancelled = -1;
    MPI_Request request;
    MPI_Status status;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!shown)
            MPI_Request_get_status(request, &shown, MPI_STATUS_IGNORE);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        CHECK_INT(cancelled, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = -1;
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 5);
    }
    return check_end();
}
