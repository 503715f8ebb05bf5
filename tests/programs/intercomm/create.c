/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_Intercomm_create: sizes, ranks and groups of both sides, comparison, duplication (MPI 5.0 section 7.6.2). */
#include "intercomm.h"

static void test(void)
{
    int flag, result, size, rank, first = 0, world_rank;
    MPI_Group world, group;
    MPI_Comm copy;

    MPI_Comm_test_inter(inter, &flag);
    CHECK_INT(flag, 1);
    MPI_Comm_rank(local_comm, &rank);
    CHECK_INT(local_rank, rank);
    CHECK_INT(local_size + remote_size, check_size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_remote_group(inter, &group);
    MPI_Group_size(group, &size);
    CHECK_INT(size, remote_size);
    MPI_Group_translate_ranks(group, 1, &first, world, &world_rank);
    CHECK_INT(world_rank, is_low ? local_size : 0);
    MPI_Group_free(&group);
    MPI_Comm_group(inter, &group); /* the local one */
    MPI_Group_size(group, &size);
    CHECK_INT(size, local_size);
    MPI_Group_rank(group, &rank);
    CHECK_INT(rank, local_rank);
    MPI_Group_free(&group);
    MPI_Group_free(&world);

    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    CHECK_INT(result, MPI_CONGRUENT);
    MPI_Comm_compare(inter, inter, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Comm_compare(inter, local_comm, &result);
    CHECK_INT(result, MPI_UNEQUAL);
    MPI_Comm_remote_size(copy, &size);
    CHECK_INT(size, remote_size);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
