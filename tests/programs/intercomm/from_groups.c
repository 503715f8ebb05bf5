/* smpi: ranks 5 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* MPI_Intercomm_create_from_groups needs no communicator; both sides know both groups (MPI 5.0 section 7.6.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, low, high;
    MPI_Comm inter, all;
    int lows[2] = {1, 0}, highs[3] = {2, 4, 3}, is_low, size, remote, rank, sum = -1;

    check_begin(&argc, &argv);
    check_errors_return();
    is_low = check_rank < 2;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, lows, &low);
    MPI_Group_incl(world, 3, highs, &high);
    CHECK_OK(MPI_Intercomm_create_from_groups(is_low ? low : high, 0, is_low ? high : low, 0, "both", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &inter));
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    CHECK_INT(size, is_low ? 2 : 3);
    CHECK_INT(remote, is_low ? 3 : 2);
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK_INT(sum, is_low ? 9 : 1);
    /* Both say high: the order is the library's, but all ranks agree on it. */
    MPI_Intercomm_merge(inter, 1, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK_INT(sum, 10);
    MPI_Comm_free(&all);
    MPI_Comm_free(&inter);
    CHECK_ERROR(MPI_Intercomm_create_from_groups(low, 0, low, 0, "same", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter),
                MPI_ERR_COMM);
    CHECK_ERROR(MPI_Intercomm_create_from_groups(low, 2, high, 0, "leader", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter),
                MPI_ERR_RANK);
    MPI_Group_free(&high);
    MPI_Group_free(&low);
    MPI_Group_free(&world);
    return check_end();
}
