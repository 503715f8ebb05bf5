/* smpi: ranks 6 */
/* smpi: expect-pass */
/* MPI_Comm_create makes a communicator of a group, or several of disjoint groups; others get MPI_COMM_NULL (MPI 5.0 section 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, group;
    MPI_Comm comm;
    int chosen[3] = {4, 0, 2}, evens[3] = {0, 2, 4}, odds[3] = {5, 3, 1}, rank, value;

    check_begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, chosen, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    if (check_rank % 2 == 0) {
        MPI_Comm_rank(comm, &rank);
        CHECK_INT(chosen[rank], check_rank);
        value = check_rank;
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        CHECK_INT(value, 4);
        MPI_Comm_free(&comm);
    } else
        CHECK(comm == MPI_COMM_NULL);
    MPI_Group_free(&group);

    /* Disjoint groups in one call. */
    MPI_Group_incl(world, 3, check_rank % 2 ? odds : evens, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Comm_rank(comm, &rank);
    CHECK_INT((check_rank % 2 ? odds : evens)[rank], check_rank);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);

    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
    CHECK(comm == MPI_COMM_NULL);
    MPI_Group_free(&world);
    return check_end();
}
