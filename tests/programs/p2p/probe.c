/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Probe tells source, tag and size of a message before it is received (MPI 5.0 section 3.8.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank > 0) {
        int values[4] = {check_rank, check_rank, check_rank, check_rank};
        MPI_Send(values, check_rank + 1, MPI_INT, 0, 10 + check_rank, MPI_COMM_WORLD);
    } else {
        int seen[3] = {0, 0, 0};
        for (int message = 0; message < 2; message++) {
            MPI_Status probed, received;
            int length;
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed);
            MPI_Get_count(&probed, MPI_INT, &length);
            CHECK_INT(length, probed.MPI_SOURCE + 1);
            CHECK_INT(probed.MPI_TAG, 10 + probed.MPI_SOURCE);
            int *values = malloc((size_t)length * sizeof *values);
            MPI_Recv(values, length, MPI_INT, probed.MPI_SOURCE, probed.MPI_TAG, MPI_COMM_WORLD,
                     &received);
            CHECK_INT(received.MPI_SOURCE, probed.MPI_SOURCE);
            CHECK_INT(values[length - 1], probed.MPI_SOURCE);
            seen[probed.MPI_SOURCE]++;
            free(values);
        }
        CHECK_INT(seen[1], 1);
        CHECK_INT(seen[2], 1);
    }
    return check_end();
}
