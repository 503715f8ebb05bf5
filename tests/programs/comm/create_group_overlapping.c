/* smpi: ranks 4 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* Overlapping groups with one tag, entered in any order that ends, never mix: each call is among its group alone (MPI 5.0 section 7.4.2). */
#include "../check.h"

static MPI_Comm pair_with(MPI_Group world, int low, int high)
{
    MPI_Group group;
    MPI_Comm comm;
    int members[2] = {low, high};

    MPI_Group_incl(world, 2, members, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
    MPI_Group_free(&group);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Group world;
    MPI_Comm comm;
    int sum;

    check_begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    /* Rank 0 first meets 1, then 2, then 3; all groups have the same first rank and the same tag. */
    for (int other = 1; other < check_size; other++) {
        if (check_rank != 0 && check_rank != other)
            continue;
        comm = pair_with(world, 0, other);
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK_INT(sum, other);
        MPI_Comm_free(&comm);
    }
    /* The same group again and again, with all communicators alive. */
    if (check_rank < 2) {
        MPI_Comm several[3];
        int in = -1;
        for (int i = 0; i < 3; i++)
            several[i] = pair_with(world, 0, 1);
        for (int i = 2; i >= 0; i--) {
            int out = 10 * check_rank + i;
            MPI_Sendrecv(&out, 1, MPI_INT, 1 - check_rank, 0, &in, 1, MPI_INT, 1 - check_rank, 0, several[i],
                         MPI_STATUS_IGNORE);
            CHECK_INT(in, 10 * (1 - check_rank) + i);
        }
        for (int i = 0; i < 3; i++)
            MPI_Comm_free(&several[i]);
    }
    /* A rank outside of the group may call, and gets nothing. */
    MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 5, &comm);
    CHECK(comm == MPI_COMM_NULL);
    MPI_Group_free(&world);
    return check_end();
}
