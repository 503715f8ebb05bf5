/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_ANY_TAG takes the messages of one sender in the order in which they were sent (MPI 5.0 section 3.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    static const int tags[] = {9, 3, 3, 700, 0, 12};
    const int count = (int)(sizeof tags / sizeof *tags);

    check_begin(&argc, &argv);
    for (int i = 0; i < count; i++) {
        int value = i;
        MPI_Status status;
        if (check_rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD);
            continue;
        }
        value = -1;
        MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK_INT(value, i);
        CHECK_INT(status.MPI_TAG, tags[i]);
    }
    return check_end();
}
