/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A loop of MPI_Test makes progress; the status comes with the true flag only once (MPI 5.0 section 3.7.3). */
#include "../check.h"

#define COUNT 100000

int main(int argc, char **argv)
{
    static int data[COUNT];
    int flag = 0, wrong = 0, length;
    MPI_Status status;
    MPI_Request request;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < COUNT; i++)
            data[i] = i;
        MPI_Isend(data, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(data, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, &status);
        CHECK_INT(flag, 0); /* rank 0 waits for the barrier */
        CHECK(request != MPI_REQUEST_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        while (!flag)
            MPI_Test(&request, &flag, &status);
        MPI_Get_count(&status, MPI_INT, &length);
        CHECK_INT(length, COUNT);
        for (int i = 0; i < COUNT; i++)
            wrong += data[i] != i;
        CHECK_INT(wrong, 0);
    }
    CHECK(request == MPI_REQUEST_NULL);
    return check_end();
}
