/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_ANY_SOURCE receives one message from every rank, and the status says whose it is (MPI 5.0 section 3.2.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank == 0) {
        int seen[16] = {0};
        for (int message = 1; message < check_size; message++) {
            MPI_Status status;
            int value = -1;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < check_size);
            CHECK_INT(status.MPI_TAG, 2);
            CHECK_INT(value, status.MPI_SOURCE * 3);
            seen[status.MPI_SOURCE]++;
        }
        for (int rank = 1; rank < check_size; rank++)
            CHECK_INT(seen[rank], 1);
    } else {
        int value = check_rank * 3;
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    return check_end();
}
