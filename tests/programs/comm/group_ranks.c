/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Sizes, ranks, comparison and translation of groups, MPI_PROC_NULL and MPI_UNDEFINED included (MPI 5.0 section 7.3.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, part, same, reversed;
    int members[] = {3, 1}, backwards[] = {1, 3}, size, rank, result;
    int from[] = {0, 1, 2, 3, 4, MPI_PROC_NULL}, to[6];

    check_begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(world, &size);
    CHECK_INT(size, 5);
    MPI_Group_rank(world, &rank);
    CHECK_INT(rank, check_rank);
    MPI_Group_incl(world, 2, members, &part);
    MPI_Group_incl(world, 2, members, &same);
    MPI_Group_incl(world, 2, backwards, &reversed);
    MPI_Group_rank(part, &rank);
    CHECK_INT(rank, check_rank == 3 ? 0 : check_rank == 1 ? 1 : MPI_UNDEFINED);
    MPI_Group_compare(part, same, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Group_compare(part, reversed, &result);
    CHECK_INT(result, MPI_SIMILAR);
    MPI_Group_compare(part, world, &result);
    CHECK_INT(result, MPI_UNEQUAL);
    MPI_Group_translate_ranks(world, 6, from, part, to);
    CHECK(to[0] == MPI_UNDEFINED && to[2] == MPI_UNDEFINED && to[4] == MPI_UNDEFINED);
    CHECK_INT(to[1], 1);
    CHECK_INT(to[3], 0);
    CHECK_INT(to[5], MPI_PROC_NULL);
    MPI_Group_size(MPI_GROUP_EMPTY, &size);
    CHECK_INT(size, 0);
    MPI_Group_rank(MPI_GROUP_EMPTY, &rank);
    CHECK_INT(rank, MPI_UNDEFINED);
    MPI_Group_free(&part);
    CHECK(part == MPI_GROUP_NULL);
    MPI_Group_free(&same);
    MPI_Group_free(&reversed);
    MPI_Group_free(&world);
    return check_end();
}
