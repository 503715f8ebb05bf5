/* smpi: ranks 6 */
/* smpi: expect-pass */
/* MPI_Comm_split and MPI_Comm_create on an intercommunicator give intercommunicators (MPI 5.0 section 7.4.2). */
#include "intercomm.h"

int main(int argc, char **argv)
{
    MPI_Comm part;
    MPI_Group all, some;
    int size, remote, flag, in = -1, members[2] = {0, 2};

    check_begin(&argc, &argv);
    make_inter(3);
    /* Equal parities of both sides form an intercommunicator: 0, 2 against 3, 5 and 1 against 4. */
    MPI_Comm_split(inter, local_rank % 2, 0, &part);
    MPI_Comm_test_inter(part, &flag);
    CHECK_INT(flag, 1);
    MPI_Comm_size(part, &size);
    MPI_Comm_remote_size(part, &remote);
    CHECK_INT(size, local_rank % 2 ? 1 : 2);
    CHECK_INT(remote, size);
    MPI_Sendrecv(&check_rank, 1, MPI_INT, local_rank / 2, 0, &in, 1, MPI_INT, local_rank / 2, 0, part,
                 MPI_STATUS_IGNORE);
    CHECK_INT(in, (check_rank + 3) % 6);
    MPI_Comm_free(&part);

    /* A colour that only one side has gives no communicator. */
    MPI_Comm_split(inter, is_low ? 1 : 2, 0, &part);
    CHECK(part == MPI_COMM_NULL);

    MPI_Comm_group(inter, &all);
    MPI_Group_incl(all, 2, members, &some);
    MPI_Comm_create(inter, some, &part);
    CHECK((part == MPI_COMM_NULL) == (local_rank == 1));
    if (part != MPI_COMM_NULL) {
        MPI_Comm_remote_size(part, &remote);
        CHECK_INT(remote, 2);
        int sum = 0;
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, part);
        CHECK_INT(sum, is_low ? 8 : 2);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    free_inter();
    return check_end();
}
