/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A message goes to the receive that was posted first among those that fit it (MPI 5.0 section 3.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[4] = {-1, -1, -1, -1};
    MPI_Request requests[4];

    check_begin(&argc, &argv);
    if (check_rank == 1) {
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(&values[2], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Irecv(&values[3], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[3]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        static const int tags[] = {2, 1, 2, 1};
        for (int i = 0; i < 4; i++)
            MPI_Send(&i, 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD);
    } else {
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        CHECK_INT(values[0], 1); /* the first message with tag 1 */
        CHECK_INT(values[1], 0); /* the first message at all: request 0 wants tag 1 */
        CHECK_INT(values[2], 2);
        CHECK_INT(values[3], 3);
    }
    return check_end();
}
