/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_COMM_WORLD holds all ranks, MPI_COMM_SELF one; sizes, ranks, comparison (MPI 5.0 sections 7.4.1, 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    int rank, size, result, inter;

    check_begin(&argc, &argv);
    CHECK_INT(check_size, 3);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    CHECK_INT(size, 1);
    CHECK_INT(rank, 0);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
    CHECK_INT(result, MPI_UNEQUAL);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
    CHECK_INT(inter, 0);
    return check_end();
}
