/* smpi: ranks 7 */
/* smpi: expect-pass */
/* A grid of fewer ranks than there are: ranks in row-major order, coordinates, shifts (section 8.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int dims[2] = {2, 3}, periods[2] = {0, 1}, coords[2] = {-1, -1}, found[2], kind, count, rank, size, from, to;
    MPI_Comm cart;

    check_begin(&argc, &argv);
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK_INT(kind, MPI_UNDEFINED);
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &rank);
    CHECK(check_rank < 6 ? rank >= 0 && rank < 6 : rank == MPI_UNDEFINED);

    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    if (check_rank == 6) {
        CHECK(cart == MPI_COMM_NULL);
        return check_end();
    }
    MPI_Comm_rank(cart, &rank);
    MPI_Comm_size(cart, &size);
    CHECK_INT(rank, check_rank);
    CHECK_INT(size, 6);
    MPI_Topo_test(cart, &kind);
    CHECK_INT(kind, MPI_CART);
    MPI_Cartdim_get(cart, &count);
    CHECK_INT(count, 2);

    dims[0] = dims[1] = periods[0] = periods[1] = -1;
    MPI_Cart_get(cart, 2, dims, periods, coords);
    CHECK_INT(dims[0], 2);
    CHECK_INT(dims[1], 3);
    CHECK_INT(periods[0], 0);
    CHECK_INT(periods[1], 1);
    CHECK_INT(coords[0], rank / 3);
    CHECK_INT(coords[1], rank % 3);
    for (int other = 0; other < 6; other++) {
        int back = -1;
        MPI_Cart_coords(cart, other, 2, found);
        CHECK_INT(found[0], other / 3);
        CHECK_INT(found[1], other % 3);
        MPI_Cart_rank(cart, found, &back);
        CHECK_INT(back, other);
        found[1] += 3 * (other - 2); /* goes round */
        MPI_Cart_rank(cart, found, &back);
        CHECK_INT(back, other);
    }

    MPI_Cart_shift(cart, 0, 1, &from, &to);
    CHECK_INT(from, coords[0] == 1 ? rank - 3 : MPI_PROC_NULL);
    CHECK_INT(to, coords[0] == 0 ? rank + 3 : MPI_PROC_NULL);
    MPI_Cart_shift(cart, 0, -1, &from, &to);
    CHECK_INT(from, coords[0] == 0 ? rank + 3 : MPI_PROC_NULL);
    CHECK_INT(to, coords[0] == 1 ? rank - 3 : MPI_PROC_NULL);
    MPI_Cart_shift(cart, 0, 2, &from, &to);
    CHECK(from == MPI_PROC_NULL && to == MPI_PROC_NULL);
    for (int steps = -7; steps <= 7; steps++) {
        MPI_Cart_shift(cart, 1, steps, &from, &to);
        CHECK_INT(from, coords[0] * 3 + (coords[1] - steps + 9) % 3);
        CHECK_INT(to, coords[0] * 3 + (coords[1] + steps + 9) % 3);
    }

    /* Messages along a row come from where the shift says. */
    MPI_Cart_shift(cart, 1, 1, &from, &to);
    found[0] = rank;
    MPI_Sendrecv(&found[0], 1, MPI_INT, to, 0, &found[1], 1, MPI_INT, from, 0, cart, MPI_STATUS_IGNORE);
    CHECK_INT(found[1], from);
    MPI_Comm_free(&cart);
    return check_end();
}
