/* smpi: ranks 3 */
/* smpi: expect-pass */
/* A grid without dimensions is one rank; an empty graph is none (sections 8.5.1 and 8.5.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    int none[1] = {99}, count = -1, rank = -1, kind = -1;
    MPI_Comm cart, graph;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 0, none, none, 0, &cart));
    if (check_rank == 0) {
        MPI_Topo_test(cart, &kind);
        CHECK_INT(kind, MPI_CART);
        MPI_Cartdim_get(cart, &count);
        CHECK_INT(count, 0);
        MPI_Cart_rank(cart, none, &rank);
        CHECK_INT(rank, 0);
        CHECK_OK(MPI_Cart_coords(cart, 0, 0, none));
        CHECK_OK(MPI_Cart_get(cart, 0, none, none, none));
        CHECK_INT(none[0], 99);
        MPI_Comm_free(&cart);
    } else {
        CHECK(cart == MPI_COMM_NULL);
    }
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 0, none, none, 0, &graph));
    CHECK(graph == MPI_COMM_NULL);
    return check_end();
}
