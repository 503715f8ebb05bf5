/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Union, intersection and difference of groups, with the standard's order of ranks (MPI 5.0 section 7.3.2). */
#include "../check.h"

static MPI_Group world;

/* The group's members, as ranks of the world, are exactly these. */
static void check_members(MPI_Group group, int count, const int *expected)
{
    int size, ranks[6] = {0, 1, 2, 3, 4, 5}, members[6];
    MPI_Group_size(group, &size);
    CHECK_INT(size, count);
    MPI_Group_translate_ranks(group, size, ranks, world, members);
    for (int i = 0; i < count && i < size; i++)
        CHECK_INT(members[i], expected[i]);
}

int main(int argc, char **argv)
{
    MPI_Group a, b, result;
    int of_a[] = {4, 1, 0}, of_b[] = {0, 5, 4};

    check_begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, of_a, &a);
    MPI_Group_incl(world, 3, of_b, &b);
    MPI_Group_union(a, b, &result);
    check_members(result, 4, (int[]){4, 1, 0, 5});
    MPI_Group_free(&result);
    MPI_Group_union(b, a, &result);
    check_members(result, 4, (int[]){0, 5, 4, 1});
    MPI_Group_free(&result);
    MPI_Group_intersection(a, b, &result);
    check_members(result, 2, (int[]){4, 0});
    MPI_Group_free(&result);
    MPI_Group_intersection(b, a, &result);
    check_members(result, 2, (int[]){0, 4});
    MPI_Group_free(&result);
    MPI_Group_difference(a, b, &result);
    check_members(result, 1, (int[]){1});
    MPI_Group_free(&result);
    MPI_Group_difference(a, a, &result);
    check_members(result, 0, NULL);
    int same;
    MPI_Group_compare(result, MPI_GROUP_EMPTY, &same);
    CHECK_INT(same, MPI_IDENT);
    if (result != MPI_GROUP_EMPTY)
        MPI_Group_free(&result);
    MPI_Group_union(a, MPI_GROUP_EMPTY, &result);
    MPI_Group_compare(result, a, &same);
    CHECK_INT(same, MPI_IDENT);
    MPI_Group_free(&result);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&world);
    return check_end();
}
