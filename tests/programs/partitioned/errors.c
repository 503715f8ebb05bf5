/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* What partitioned operations refuse (MPI 5.0 §4.2). MPICH looks at less of it. */
#include "../check.h"

int main(int argc, char **argv)
{
    int data[8] = { 0 }, flag;
    MPI_Request request, other, plain;
    MPI_Status status;

    check_begin(&argc, &argv);
    check_errors_return();
    int peer = 1 - check_rank;
    CHECK_ERROR(MPI_Psend_init(data, 0, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Psend_init(data, 1, -1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Psend_init(data, 1, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Psend_init(data, 1, 1, MPI_INT, peer, -1, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                MPI_ERR_RANK);
    CHECK_ERROR(MPI_Precv_init(data, 1, 1, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                MPI_ERR_TAG);
    CHECK_ERROR(MPI_Precv_init(NULL, 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Psend_init_c(data, 4, (MPI_Count)1 << 62, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                MPI_ERR_COUNT);

    CHECK_OK(MPI_Psend_init(data, 4, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    CHECK_OK(MPI_Precv_init(data + 4, 2, 2, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &other));
    CHECK_OK(MPI_Recv_init(data, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &plain));
    /* Not started, another kind of request, none. */
    CHECK_ERROR(MPI_Pready(0, request), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Pready(0, other), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Pready(0, plain), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Parrived(request, 0, &flag), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Parrived(plain, 0, &flag), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
    CHECK_INT(flag, 1);
    CHECK_OK(MPI_Start(&request));
    CHECK_OK(MPI_Start(&other));
    CHECK_ERROR(MPI_Start(&other), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Pready(4, request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Pready(-1, request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Pready_range(2, 4, request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Pready_list(2, (int[]){ 3, 3 }, request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Pready_list(-1, NULL, request), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Parrived(other, 2, &flag), MPI_ERR_ARG);
    /* None of these has made a partition ready. */
    CHECK_OK(MPI_Pready_list(2, (int[]){ 3, 0 }, request));
    CHECK_ERROR(MPI_Pready(3, request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Pready_range(1, 3, request), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Cancel(&other), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Pready_range(1, 2, request));
    CHECK_ERROR(MPI_Pready(1, request), MPI_ERR_ARG);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&other, &status));
    CHECK_ERROR(MPI_Pready(0, request), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Request_free(&other));
    CHECK_OK(MPI_Request_free(&plain));

    /* More or less data than there is room for: the receiver is told, and gets what fits. */
    for (int less = 0; less < 2; less++) {
        memset(data, 0, sizeof data);
        if (check_rank == 0) {
            for (int i = 0; i < 8; i++)
                data[i] = 1 + i;
            CHECK_OK(MPI_Psend_init(data, 4, less ? 1 : 2, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            CHECK_OK(MPI_Start(&request));
            CHECK_OK(MPI_Pready_range(0, 3, request));
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Precv_init(data, 3, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            CHECK_OK(MPI_Start(&request));
            CHECK_ERROR(MPI_Wait(&request, &status), less ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE);
            CHECK_INT(data[3], 4);
            CHECK_INT(data[5], less ? 0 : 6);
            CHECK_INT(data[6], 0);
        }
        CHECK_OK(MPI_Request_free(&request));
    }
    return check_end();
}
