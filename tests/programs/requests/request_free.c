/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A freed active send still delivers its message (MPI 5.0 section 3.7.3). */
#include "../check.h"

#define COUNT 60000

int main(int argc, char **argv)
{
    static int data[COUNT];
    int wrong = 0, token = 0;
    MPI_Request request;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        for (int i = 0; i < COUNT; i++)
            data[i] = 2 * i + 1;
        MPI_Isend(data, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        CHECK(request == MPI_REQUEST_NULL);
        /* The answer says that the buffer is free again. */
        MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send_init(data, 10, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
        MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < COUNT; i++)
            wrong += data[i] != 2 * i + 1;
        CHECK_INT(wrong, 0);
        MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(data, 10, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(data[9], 19);
        MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    return check_end();
}
