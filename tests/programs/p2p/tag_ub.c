/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* Tags from 0 to MPI_TAG_UB, which is at least 32767, are told apart (MPI 5.0 section 3.2.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    int *bound = NULL, found = 0;

    check_begin(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    CHECK_INT(found, 1);
    CHECK(*bound >= 32767);
    int tags[] = {0, 1, 32766, 32767, *bound - 1, *bound};
    if (check_rank == 0) {
        for (int i = 0; i < 6; i++)
            MPI_Send(&tags[i], 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD);
    } else {
        for (int i = 5; i >= 0; i--) {
            int value = -1;
            MPI_Status status;
            if (i == 2) /* left for the wildcard receive below */
                continue;
            MPI_Recv(&value, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD, &status);
            CHECK_INT(value, tags[i]);
            CHECK_INT(status.MPI_TAG, tags[i]);
        }
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 32766);
    }
    return check_end();
}
