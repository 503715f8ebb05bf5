/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_Comm_create_group is collective over the group only: the other ranks do not take part (MPI 5.0 section 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, group;
    MPI_Comm comm;
    int members[3] = {3, 1, 4}, rank, sum = 0;

    check_begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, members, &group);
    MPI_Group_rank(group, &rank);
    if (rank != MPI_UNDEFINED) {
        int found;
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 17, &comm);
        MPI_Comm_rank(comm, &found);
        CHECK_INT(found, rank);
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK_INT(sum, 8);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return check_end();
}
