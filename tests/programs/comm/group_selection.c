/* smpi: ranks 8 */
/* smpi: expect-pass */
/* Including and excluding ranks, singly and by ranges with positive and negative strides (MPI 5.0 section 7.3.2). */
#include "../check.h"

static MPI_Group world;

static void check_members(MPI_Group group, int count, const int *expected)
{
    int size, ranks[8] = {0, 1, 2, 3, 4, 5, 6, 7}, members[8];
    MPI_Group_size(group, &size);
    CHECK_INT(size, count);
    MPI_Group_translate_ranks(group, size, ranks, world, members);
    for (int i = 0; i < count && i < size; i++)
        CHECK_INT(members[i], expected[i]);
}

int main(int argc, char **argv)
{
    MPI_Group group;
    int chosen[] = {6, 2, 7}, ranges[][3] = {{6, 2, -2}, {1, 1, 1}, {3, 8 - 1, 4}}, all[][3] = {{0, 7, 1}};

    check_begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, chosen, &group);
    check_members(group, 3, chosen);
    MPI_Group_free(&group);
    MPI_Group_excl(world, 3, chosen, &group);
    check_members(group, 5, (int[]){0, 1, 3, 4, 5});
    MPI_Group_free(&group);
    MPI_Group_range_incl(world, 3, ranges, &group);
    check_members(group, 6, (int[]){6, 4, 2, 1, 3, 7});
    MPI_Group_free(&group);
    MPI_Group_range_excl(world, 3, ranges, &group);
    check_members(group, 2, (int[]){0, 5});
    MPI_Group_free(&group);
    MPI_Group_range_excl(world, 1, all, &group);
    check_members(group, 0, NULL);
    if (group != MPI_GROUP_EMPTY)
        MPI_Group_free(&group);
    MPI_Group_incl(world, 0, NULL, &group);
    check_members(group, 0, NULL);
    if (group != MPI_GROUP_EMPTY)
        MPI_Group_free(&group);
    MPI_Group_excl(world, 0, NULL, &group);
    check_members(group, 8, (int[]){0, 1, 2, 3, 4, 5, 6, 7});
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return check_end();
}
