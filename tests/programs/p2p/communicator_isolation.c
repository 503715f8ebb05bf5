/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* Messages of one communicator are never seen by receives and probes on another (MPI 5.0 section 3.2.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm other;
    MPI_Request request;
    int flag = 0, value = 0;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (check_rank == 0) {
        int on_world = 1, on_other = 2;
        MPI_Send(&on_world, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&on_other, 1, MPI_INT, 1, 0, other);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        int second = 0;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
        CHECK_INT(value, 2);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
        CHECK_INT(flag, 0);
        MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &request);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 1);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_INT(second, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&other);
    return check_end();
}
