/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Dims_create balances the free dimensions in non-increasing order and keeps the given ones (section 8.5.2). */
#include "../check.h"

static void check_dims(int nodes, int count, const int *given, const int *expected)
{
    int dims[8];

    memcpy(dims, given, count * sizeof(int));
    CHECK_OK(MPI_Dims_create(nodes, count, dims));
    for (int i = 0; i < count; i++)
        CHECK_INT(dims[i], expected[i]);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_dims(6, 2, (int[]){0, 0}, (int[]){3, 2});
    check_dims(7, 2, (int[]){0, 0}, (int[]){7, 1});
    check_dims(6, 3, (int[]){0, 3, 0}, (int[]){2, 3, 1});
    check_dims(12, 1, (int[]){0}, (int[]){12});
    check_dims(16, 2, (int[]){0, 0}, (int[]){4, 4});
    check_dims(64, 3, (int[]){0, 0, 0}, (int[]){4, 4, 4});
    check_dims(60, 3, (int[]){0, 0, 0}, (int[]){5, 4, 3});
    check_dims(1000000, 3, (int[]){0, 0, 0}, (int[]){100, 100, 100});
    check_dims(24, 3, (int[]){0, 2, 0}, (int[]){4, 2, 3});
    check_dims(6, 2, (int[]){2, 3}, (int[]){2, 3});
    check_dims(1, 4, (int[]){0, 0, 0, 0}, (int[]){1, 1, 1, 1});
    check_dims(65537, 2, (int[]){0, 0}, (int[]){65537, 1});

    /* Every number: the product is right and the order is not increasing. */
    for (int nodes = 1; nodes <= 500; nodes++) {
        for (int count = 1; count <= 4; count++) {
            int dims[4] = {0, 0, 0, 0}, product = 1;
            MPI_Dims_create(nodes, count, dims);
            for (int i = 0; i < count; i++) {
                product *= dims[i];
                CHECK(i == 0 || dims[i - 1] >= dims[i]);
            }
            CHECK_INT(product, nodes);
        }
    }
    return check_end();
}
