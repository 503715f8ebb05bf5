/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* A message found by MPI_Mprobe is out of reach for other receives, and MPI_Mrecv gets exactly it (MPI 5.0 section 3.8.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank == 0) {
        for (int value = 1; value <= 3; value++)
            MPI_Send(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    } else {
        MPI_Message first, second;
        MPI_Status status;
        MPI_Request request;
        int length, value = -1;

        MPI_Mprobe(0, 6, MPI_COMM_WORLD, &first, &status);
        CHECK(first != MPI_MESSAGE_NULL);
        CHECK_INT(status.MPI_SOURCE, 0);
        MPI_Get_count(&status, MPI_INT, &length);
        CHECK_INT(length, 1);
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);

        /* The first two are taken: an ordinary receive gets the third. */
        MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 3);
        MPI_Imrecv(&value, 1, MPI_INT, &second, &request);
        CHECK(second == MPI_MESSAGE_NULL);
        MPI_Wait(&request, &status);
        CHECK_INT(value, 2);
        CHECK_INT(status.MPI_TAG, 6);
        MPI_Mrecv(&value, 1, MPI_INT, &first, &status);
        CHECK(first == MPI_MESSAGE_NULL);
        CHECK_INT(value, 1);
        CHECK_INT(status.MPI_SOURCE, 0);
    }
    return check_end();
}
