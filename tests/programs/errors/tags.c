/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Tags below 0 or above MPI_TAG_UB are refused with MPI_ERR_TAG; MPI_ANY_TAG is for receives only. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0, *bound, found, flag;
    MPI_Request request;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Isend(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Recv(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Irecv(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Iprobe(0, -1000, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Send_init(&value, 1, MPI_INT, 0, -1000, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    if (*bound < 2147483647) {
        CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, *bound + 1, MPI_COMM_WORLD), MPI_ERR_TAG);
        CHECK_ERROR(MPI_Irecv(&value, 1, MPI_INT, 0, *bound + 1, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    }
    return check_end();
}
