/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Communication that was started on a communicator ends normally after the communicator was freed (MPI 5.0 section 7.4.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Request requests[2];
    int in = -1, out;

    check_begin(&argc, &argv);
    out = 10 + check_rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(&in, 1, MPI_INT, 1 - check_rank, 0, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - check_rank, 0, comm, &requests[1]);
    MPI_Comm_free(&comm);
    CHECK(comm == MPI_COMM_NULL);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_INT(in, 11 - check_rank);
    return check_end();
}
