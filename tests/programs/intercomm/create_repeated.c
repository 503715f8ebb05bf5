/* smpi: ranks 6 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* MPI_Intercomm_create again and again over one peer communicator with one tag, while other traffic with that tag is
 * under way: every intercommunicator is its own (MPI 5.0 section 7.6.2). */
#include "../check.h"

#define TIMES 4

int main(int argc, char **argv)
{
    MPI_Comm side, inters[TIMES];
    MPI_Request request;
    int is_low, leader, in = -1, rank, other;

    check_begin(&argc, &argv);
    is_low = check_rank < 3;
    leader = is_low ? 3 : 0;
    MPI_Comm_split(MPI_COMM_WORLD, is_low, check_rank, &side);
    if (check_rank == 0) /* not a message that leaders wait for */
        MPI_Isend(&check_rank, 1, MPI_INT, 3, 7, MPI_COMM_WORLD, &request);
    for (int i = 0; i < TIMES; i++)
        MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, leader, 7, &inters[i]);
    if (check_rank == 3) {
        MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(in, 0);
    }
    if (check_rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_rank(inters[0], &rank);
    for (int i = TIMES - 1; i >= 0; i--) {
        int out = 10 * check_rank + i;
        MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, inters[i], MPI_STATUS_IGNORE);
        other = is_low ? check_rank + 3 : check_rank - 3;
        CHECK_INT(in, 10 * other + i);
    }
    for (int i = 0; i < TIMES; i++)
        MPI_Comm_free(&inters[i]);
    MPI_Comm_free(&side);
    return check_end();
}
