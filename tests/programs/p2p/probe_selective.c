/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* A probe for one tag passes over earlier messages with other tags (MPI 5.0 section 3.8.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank == 0) {
        for (int tag = 1; tag <= 3; tag++) {
            int value = tag * 11;
            MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        }
    } else {
        for (int tag = 3; tag >= 1; tag--) {
            MPI_Status status;
            int value = -1;
            MPI_Probe(0, tag, MPI_COMM_WORLD, &status);
            CHECK_INT(status.MPI_TAG, tag);
            MPI_Probe(0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* a probe takes nothing away */
            MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
            CHECK_INT(value, tag * 11);
        }
    }
    return check_end();
}
