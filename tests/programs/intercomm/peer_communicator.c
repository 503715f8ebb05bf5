/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Leaders other than rank 0, a peer communicator that only the leaders know, sides of different size and order (MPI 5.0 section 7.6.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm side, leaders, inter;
    int is_low, size, remote, first, in = -1;

    check_begin(&argc, &argv);
    /* Only the leaders, world ranks 2 and 5, are in the peer communicator. */
    is_low = check_rank < 4;
    MPI_Comm_split(MPI_COMM_WORLD, is_low, is_low ? -check_rank : check_rank, &side);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank == 2 || check_rank == 5 ? 0 : MPI_UNDEFINED, 0, &leaders);
    /* World rank 2 is rank 1 of its side, which is in reverse order; world rank 5 is rank 1 of the other. */
    MPI_Intercomm_create(side, 1, leaders, is_low ? 1 : 0, 3, &inter);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    CHECK_INT(size, is_low ? 4 : 2);
    CHECK_INT(remote, is_low ? 2 : 4);
    /* The first of the low side tells its name to the high side. */
    MPI_Comm_rank(inter, &first);
    int root = is_low ? (first == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
    in = check_rank;
    MPI_Bcast(&in, 1, MPI_INT, root, inter);
    CHECK_INT(in, is_low ? check_rank : 3);
    MPI_Comm_free(&inter);
    if (leaders != MPI_COMM_NULL)
        MPI_Comm_free(&leaders);
    MPI_Comm_free(&side);
    return check_end();
}
