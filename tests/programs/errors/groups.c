/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Null groups give MPI_ERR_GROUP; ranks out of range or twice give MPI_ERR_RANK.
 * MPICH 4.0.2 deviates: it does not notice a rank given twice. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, made, null = MPI_GROUP_NULL;
    int value, outside[2] = {0, 3}, twice[2] = {1, 1}, negative[1] = {-1000}, to[2];
    int endless[1][3] = {{0, 2, 0}}, beyond[1][3] = {{0, 5, 1}};
    MPI_Comm comm;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    CHECK_ERROR(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Group_rank(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Group_union(world, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Group_compare(MPI_GROUP_NULL, world, &value), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Group_free(&null), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Group_incl(world, 2, outside, &made), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Group_incl(world, 2, twice, &made), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Group_incl(world, 1, negative, &made), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Group_excl(world, 2, outside, &made), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Group_translate_ranks(world, 2, outside, world, to), MPI_ERR_RANK);
    CHECK(MPI_Group_range_incl(world, 1, endless, &made) != MPI_SUCCESS);
    CHECK(MPI_Group_range_incl(world, 1, beyond, &made) != MPI_SUCCESS);
    CHECK(MPI_Group_incl(world, -1, outside, &made) != MPI_SUCCESS);
    CHECK_OK(MPI_Group_free(&world));
    return check_end();
}
