/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The point-to-point functions with MPI_Count counts (MPI 5.0 section 3.2.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    int out[4] = {1, 2, 3, 4}, in[4] = {0, 0, 0, 0};
    char space[256 + MPI_BSEND_OVERHEAD];
    MPI_Count count, size;
    MPI_Status status;
    MPI_Request requests[2];
    void *detached;

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    MPI_Irecv_c(in, 4, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(out, 4, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_INT(in[3], 4);
    MPI_Buffer_attach_c(space, sizeof space);
    if (check_rank == 0) {
        MPI_Send_c(out, 3, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend_c(out, 2, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Bsend_c(out, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else
        for (int tag = 1; tag <= 3; tag++) {
            MPI_Recv_c(in, 4, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
            MPI_Get_count_c(&status, MPI_INT, &count);
            CHECK_INT(count, 4 - tag);
            MPI_Get_elements_c(&status, MPI_INT, &count);
            CHECK_INT(count, 4 - tag);
        }
    MPI_Buffer_detach_c(&detached, &size);
    CHECK(detached == space);
    CHECK_INT(size, sizeof space);
    in[0] = -1;
    MPI_Sendrecv_c(&out[check_rank], 1, MPI_INT, peer, 4, in, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &status);
    CHECK_INT(in[0], peer + 1);
    MPI_Sendrecv_replace_c(in, 1, MPI_INT, peer, 5, peer, 5, MPI_COMM_WORLD, &status);
    CHECK_INT(in[0], check_rank + 1);
    if (check_rank == 0) {
        MPI_Send_init_c(out, 4, MPI_INT, 1, 6, MPI_COMM_WORLD, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[0]);
    } else {
        MPI_Message message;
        MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv_c(in, 4, MPI_INT, &message, &status);
        CHECK_INT(in[3], 4);
    }
    return check_end();
}
