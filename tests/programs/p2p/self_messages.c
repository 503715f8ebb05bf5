/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A rank may send to itself, on the world and on MPI_COMM_SELF, in every order that does not block (MPI 5.0 section 3.2.4). */
#include "../check.h"

#define LARGE 200000

int main(int argc, char **argv)
{
    static int out[LARGE], in[LARGE];
    char space[256 + MPI_BSEND_OVERHEAD];
    void *detached;
    int detached_size, value = -1, sent = 41, wrong = 0;
    MPI_Request request;
    MPI_Status status;

    check_begin(&argc, &argv);
    MPI_Irecv(&value, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    CHECK_INT(value, 41);
    CHECK_INT(status.MPI_SOURCE, check_rank);

    value = -1;
    MPI_Isend(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(value, 41);
    CHECK_INT(status.MPI_SOURCE, 0);

    value = -1;
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(&sent, 1, MPI_INT, check_rank, 2, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, check_rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &detached_size);
    CHECK_INT(value, 41);

    for (int i = 0; i < LARGE; i++)
        out[i] = i ^ check_rank;
    MPI_Issend(out, LARGE, MPI_INT, check_rank, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(in, LARGE, MPI_INT, check_rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE; i++)
        wrong += in[i] != (i ^ check_rank);
    CHECK_INT(wrong, 0);
    return check_end();
}
