/* smpi: ranks 30 */
/* smpi: expect-pass */
/*
 * Groups at equal distances, upwards and downwards, in one piece and in several: members, translation, set operations
 * and comparison are those of the lists of their members (MPI 5.0 §7.3), and communicators of them work (§7.4.2).
 */
#include "../check.h"

#define MOST 30

static MPI_Group all;

/* The world ranks of a group; returns how many. */
static int members(MPI_Group group, int *ranks)
{
    int size, places[MOST];

    MPI_Group_size(group, &size);
    for (int i = 0; i < size; i++)
        places[i] = i;
    MPI_Group_translate_ranks(group, size, places, all, ranks);
    return size;
}

static int has(const int *ranks, int size, int rank)
{
    for (int i = 0; i < size; i++)
        if (ranks[i] == rank)
            return 1;
    return 0;
}

static void check(MPI_Group group, const int *ranks, int size)
{
    int found[MOST], own, result, me;
    MPI_Group same;

    CHECK(members(group, found) == size);
    for (int i = 0; i < size; i++)
        CHECK(found[i] == ranks[i]);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Group_rank(group, &own);
    CHECK(own == MPI_UNDEFINED ? !has(ranks, size, me) : ranks[own] == me);
    MPI_Group_incl(all, size, ranks, &same);
    MPI_Group_compare(group, same, &result);
    CHECK(result == MPI_IDENT);
    MPI_Group_free(&same);
}

/* All operations on two groups. */
static void operate(MPI_Group first, MPI_Group second)
{
    int one[MOST], other[MOST], expected[MOST], both = 0, size, more, result;
    MPI_Group group;

    size = members(first, one), more = members(second, other);
    for (int i = 0; i < size; i++)
        if (has(other, more, one[i]))
            expected[both++] = one[i];
    MPI_Group_intersection(first, second, &group);
    check(group, expected, both);
    MPI_Group_free(&group);
    int rest = 0;
    for (int i = 0; i < size; i++)
        if (!has(other, more, one[i]))
            expected[rest++] = one[i];
    MPI_Group_difference(first, second, &group);
    check(group, expected, rest);
    MPI_Group_free(&group);
    int sum = size;
    for (int i = 0; i < size; i++)
        expected[i] = one[i];
    for (int i = 0; i < more; i++)
        if (!has(one, size, other[i]))
            expected[sum++] = other[i];
    MPI_Group_union(first, second, &group);
    check(group, expected, sum);
    MPI_Group_free(&group);
    int ident = size == more;
    for (int i = 0; ident && i < size; i++)
        ident = one[i] == other[i];
    MPI_Group_compare(first, second, &result);
    CHECK(result == (ident ? MPI_IDENT : size == more && both == size ? MPI_SIMILAR : MPI_UNEQUAL));
}

int main(int argc, char **argv)
{
    int ranges[][3] = {{0, 29, 2}, {29, 0, -2}, {1, 28, 3}, {0, 29, 1}, {29, 0, -1}, {5, 5, 7}, {20, 29, 1}, {9, 2, -7}};
    int several[3][3] = {{0, 8, 2}, {29, 20, -1}, {9, 15, 3}};
    int last[] = {0, 2, 4, 6, 8, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 9, 12, 15}, odd[] = {7, 3, 28, 11, 12, 13, 2};
    enum { GROUPS = 12 };
    MPI_Group groups[GROUPS];
    MPI_Comm comm;
    int rank, sum, expected = 0;

    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < 8; i++)
        MPI_Group_range_incl(all, 1, &ranges[i], &groups[i]);
    MPI_Group_range_incl(all, 3, several, &groups[8]);
    check(groups[8], last, 18);
    MPI_Group_range_excl(all, 3, several, &groups[9]);
    int left[] = {1, 3, 5, 7, 10, 11, 13, 14, 16, 17, 18, 19};
    check(groups[9], left, 12);
    MPI_Group_incl(all, 7, odd, &groups[10]);
    int places[] = {3, 0, 9};
    MPI_Group_excl(groups[1], 3, places, &groups[11]);
    int downwards[] = {27, 25, 21, 19, 17, 15, 13, 9, 7, 5, 3, 1};
    check(groups[11], downwards, 12);
    for (int i = 0; i < GROUPS; i++)
        for (int j = 0; j < GROUPS; j++)
            operate(groups[i], groups[j]);
    /* Ranges of a group that is made of ranges. */
    MPI_Group part;
    int within[2][3] = {{16, 1, -5}, {2, 2, 1}}, found[] = {12, 23, 28, 2, 4};
    MPI_Group_range_incl(groups[8], 2, within, &part);
    check(part, found, 5);
    MPI_Group_free(&part);
    MPI_Comm_create_group(MPI_COMM_WORLD, groups[8], 5, &comm);
    if (has(last, 18, rank)) {
        int own;
        MPI_Comm_rank(comm, &own);
        CHECK(last[own] == rank);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < 18; i++)
            expected += last[i];
        CHECK(sum == expected);
        MPI_Comm_free(&comm);
    } else {
        CHECK(comm == MPI_COMM_NULL);
    }
    for (int i = 0; i < GROUPS; i++)
        MPI_Group_free(&groups[i]);
    MPI_Group_free(&all);
    return check_end();
}
