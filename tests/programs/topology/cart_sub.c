/* smpi: ranks 12 */
/* smpi: expect-pass */
/* Subgrids of a grid, and of a subgrid (section 8.5.7). */
#include "../check.h"

int main(int argc, char **argv)
{
    int dims[3] = {2, 3, 2}, periods[3] = {1, 0, 1}, coords[3], remain[3], count, rank, size, sum;
    MPI_Comm cart, sub, line;

    check_begin(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 3, coords);
    for (int bits = 1; bits < 8; bits++) {
        int wanted = 0, place = 0, expected_rank = 0, expected_size = 1;
        int sub_dims[3], sub_periods[3], sub_coords[3];
        for (int i = 0; i < 3; i++) {
            remain[i] = bits >> i & 1;
            wanted += remain[i];
        }
        CHECK_OK(MPI_Cart_sub(cart, remain, &sub));
        MPI_Topo_test(sub, &count);
        CHECK_INT(count, MPI_CART);
        MPI_Cartdim_get(sub, &count);
        CHECK_INT(count, wanted);
        MPI_Cart_get(sub, 3, sub_dims, sub_periods, sub_coords);
        for (int i = 0; i < 3; i++) {
            if (!remain[i])
                continue;
            CHECK_INT(sub_dims[place], dims[i]);
            CHECK_INT(sub_periods[place], periods[i]);
            CHECK_INT(sub_coords[place], coords[i]);
            expected_rank = expected_rank * dims[i] + coords[i];
            expected_size *= dims[i];
            place++;
        }
        MPI_Comm_rank(sub, &rank);
        MPI_Comm_size(sub, &size);
        CHECK_INT(rank, expected_rank);
        CHECK_INT(size, expected_size);
        /* All members agree in the coordinates that were dropped. */
        for (int i = 0; i < 3; i++) {
            if (remain[i])
                continue;
            MPI_Allreduce(&coords[i], &sum, 1, MPI_INT, MPI_SUM, sub);
            CHECK_INT(sum, coords[i] * size);
        }
        MPI_Comm_free(&sub);
    }

    remain[0] = remain[1] = 1;
    remain[2] = 0;
    MPI_Cart_sub(cart, remain, &sub);
    remain[0] = 0;
    MPI_Cart_sub(sub, remain, &line);
    MPI_Comm_free(&sub);
    MPI_Comm_rank(line, &rank);
    CHECK_INT(rank, coords[1]);
    MPI_Comm_free(&line);
    MPI_Comm_free(&cart);
    return check_end();
}
