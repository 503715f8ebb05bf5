/* smpi: ranks 4 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* MPI_COMM_SELF is another communicator on every rank: so are the ones made from it (MPI 5.0 section 7.2.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm copy, part;
    MPI_Group group;
    int size, in = -1;

    check_begin(&argc, &argv);
    /* Ranks make different numbers of them. */
    for (int i = 0; i <= check_rank; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Comm_split(MPI_COMM_SELF, 3, check_rank, &part);
        MPI_Comm_size(part, &size);
        CHECK_INT(size, 1);
        MPI_Sendrecv(&check_rank, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
        CHECK_INT(in, check_rank);
        MPI_Comm_free(&part);
        MPI_Comm_group(copy, &group);
        MPI_Comm_create(MPI_COMM_SELF, group, &part);
        CHECK(part != MPI_COMM_NULL);
        MPI_Comm_free(&part);
        MPI_Comm_create_group(MPI_COMM_SELF, group, 0, &part);
        CHECK(part != MPI_COMM_NULL);
        MPI_Comm_free(&part);
        MPI_Group_free(&group);
        MPI_Comm_free(&copy);
    }
    return check_end();
}
