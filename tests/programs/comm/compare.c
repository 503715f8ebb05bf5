/* smpi: ranks 4 */
/* smpi: expect-pass */
/* MPI_Comm_compare: identical, congruent, similar, unequal (MPI 5.0 section 7.4.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm copy, reversed, half;
    int result;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank / 2, 0, &half);
    MPI_Comm_compare(copy, copy, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
    CHECK_INT(result, MPI_CONGRUENT);
    MPI_Comm_compare(copy, reversed, &result);
    CHECK_INT(result, MPI_SIMILAR);
    MPI_Comm_compare(half, reversed, &result);
    CHECK_INT(result, MPI_UNEQUAL);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
    return check_end();
}
