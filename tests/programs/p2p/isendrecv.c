/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Isendrecv and MPI_Isendrecv_replace: both halves are done when the one request is (MPI 5.0 section 3.10).
 * MPICH 4.0.2 deviates: it does not fill in the receive's status, and crashes on MPI_PROC_NULL. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int out = 0, in = -1, both = 0, nothing = -5;

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    out = 100 + check_rank;
    both = 200 + check_rank;
    MPI_Isendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv_replace(&both, 1, MPI_INT, left, 2, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 3, &nothing, 1, MPI_INT, MPI_PROC_NULL, 3,
                  MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, statuses);
    CHECK_INT(in, 100 + left);
    CHECK_INT(both, 200 + right);
    CHECK_INT(nothing, -5);
    CHECK_INT(statuses[0].MPI_SOURCE, left);
    CHECK_INT(statuses[0].MPI_TAG, 1);
    CHECK_INT(statuses[1].MPI_SOURCE, right);
    CHECK_INT(statuses[2].MPI_SOURCE, MPI_PROC_NULL);
    return check_end();
}
