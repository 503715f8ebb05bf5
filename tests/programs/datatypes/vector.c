/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_vector and MPI_Type_create_hvector: strides in elements and in bytes, negative ones too (MPI 5.0 section 5.1.2). */
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, pair;

    check_begin(&argc, &argv);
    MPI_Type_vector(2, 3, 4, MPI_INT, &type);
    check_and_free(type, 6, (int[]){0, 4, 8, 16, 20, 24}, (int[]){0, 28, 0, 28});
    MPI_Type_vector(3, 1, -2, MPI_INT, &type);
    check_and_free(type, 3, (int[]){0, -8, -16}, (int[]){-16, 20, -16, 20});
    MPI_Type_vector(2, 2, 2, MPI_INT, &type); /* no gap */
    check_and_free(type, 4, (int[]){0, 4, 8, 12}, (int[]){0, 16, 0, 16});
    MPI_Type_create_hvector(3, 2, 10, MPI_INT, &type); /* unaligned */
    check_and_free(type, 6, (int[]){0, 4, 10, 14, 20, 24}, (int[]){0, 28, 0, 28});
    MPI_Type_create_hvector(2, 1, -12, MPI_INT, &type);
    check_and_free(type, 2, (int[]){0, -12}, (int[]){-12, 16, -12, 16});

    /* A vector of vectors: the stride counts extents of the inner one. */
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair); /* ints at 0 and 8, extent 12 */
    MPI_Type_vector(2, 1, 3, pair, &type);
    check_and_free(type, 4, (int[]){0, 8, 36, 44}, (int[]){0, 48, 0, 48});
    MPI_Type_free(&pair);
    return check_end();
}
