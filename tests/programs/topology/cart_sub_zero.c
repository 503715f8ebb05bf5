/* smpi: ranks 6 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/*
 * A subgrid of no dimension of a grid is one rank, on every rank, and stays so (section 8.5.7). MPICH 4.0 gives
 * MPI_COMM_NULL to all ranks but one.
 */
#include "../check.h"

int main(int argc, char **argv)
{
    int dims[2] = {2, 3}, periods[2] = {1, 0}, remain[2] = {0, 0}, count = -1, size = 0, rank = -1, kind = -1;
    MPI_Comm cart, point;

    check_begin(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    for (int round = 0; round < 2; round++) {
        CHECK_OK(MPI_Cart_sub(cart, remain, &point));
        MPI_Comm_free(&cart);
        cart = point;
        MPI_Topo_test(cart, &kind);
        CHECK_INT(kind, MPI_CART);
        MPI_Cartdim_get(cart, &count);
        CHECK_INT(count, 0);
        MPI_Comm_size(cart, &size);
        CHECK_INT(size, 1);
        MPI_Cart_rank(cart, remain, &rank);
        CHECK_INT(rank, 0);
    }
    MPI_Comm_free(&cart);
    return check_end();
}
