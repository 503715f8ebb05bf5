/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* The status fields through functions (MPI 5.0 section 3.2.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Request request;
    int in = 0, value = -1;

    check_begin(&argc, &argv);
    MPI_Isend(&check_size, 1, MPI_INT, 0, 17, MPI_COMM_SELF, &request);
    MPI_Recv(&in, 1, MPI_INT, 0, 17, MPI_COMM_SELF, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Status_get_source(&status, &value);
    CHECK_INT(value, 0);
    MPI_Status_get_tag(&status, &value);
    CHECK_INT(value, 17);
    MPI_Status_set_source(&status, 4);
    MPI_Status_set_tag(&status, 5);
    MPI_Status_set_error(&status, MPI_ERR_OTHER);
    CHECK(status.MPI_SOURCE == 4 && status.MPI_TAG == 5 && status.MPI_ERROR == MPI_ERR_OTHER);
    MPI_Status_get_error(&status, &value);
    CHECK_INT(value, MPI_ERR_OTHER);
    return check_end();
}
