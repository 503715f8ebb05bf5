/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Partitioned operations with MPI_PROC_NULL, which are complete as soon as they are started (MPI 5.0 §3.10).
 * MPICH 5.0 crashes in MPI_Start. */
#include "../check.h"

static void init(int sends, int *data, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (sends)
        CHECK_OK(MPI_Psend_init(data, 2, 1, MPI_INT, peer, tag, comm, MPI_INFO_NULL, request));
    else
        CHECK_OK(MPI_Precv_init(data, 2, 1, MPI_INT, peer, tag, comm, MPI_INFO_NULL, request));
}

static void nobody(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int data[2];

    for (int round = 0; round < 2; round++) {
        if (round == 0) {
            init(1, data, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[0]);
            init(0, data, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[1]);
        }
        CHECK_OK(MPI_Startall(2, requests));
        CHECK_OK(MPI_Pready_range(0, 1, requests[0]));
        CHECK_OK(MPI_Waitall(2, requests, statuses));
        CHECK_INT(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    nobody();
    return check_end();
}
