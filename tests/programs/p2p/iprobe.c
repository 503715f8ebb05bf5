/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Iprobe says no without waiting, and yes at last when asked in a loop (MPI 5.0 section 3.8.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    int flag = 0, length, value = 0;
    MPI_Status status;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, &status);
        CHECK_INT(flag, 0); /* nobody sends with this tag */
        MPI_Barrier(MPI_COMM_WORLD);
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        CHECK_INT(status.MPI_SOURCE, 1);
        CHECK_INT(status.MPI_TAG, 4);
        MPI_Get_count(&status, MPI_BYTE, &length);
        CHECK_INT(length, (int)sizeof(int));
        MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK_INT(flag, 1);
        MPI_Recv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 77);
        MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK_INT(flag, 0);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = 77;
        MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
    return check_end();
}
