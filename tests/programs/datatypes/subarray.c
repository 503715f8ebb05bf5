/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_create_subarray in one to three dimensions, in C and Fortran order; the extent is the whole array's (MPI 5.0 section 5.1.3). */
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type;
    int offsets[64], count = 0;

    check_begin(&argc, &argv);
    MPI_Type_create_subarray(1, (int[]){6}, (int[]){2}, (int[]){3}, MPI_ORDER_C, MPI_INT, &type);
    check_and_free(type, 2, (int[]){12, 16}, (int[]){0, 24, 12, 8});
    /* Rows 1 and 2, columns 1 to 3 of a 4 x 5 array. */
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &type);
    check_and_free(type, 6, (int[]){24, 28, 32, 44, 48, 52}, (int[]){0, 80, 24, 32});
    /* In Fortran order the first index runs fastest. */
    MPI_Type_create_subarray(2, (int[]){4, 5}, (int[]){2, 3}, (int[]){1, 1}, MPI_ORDER_FORTRAN, MPI_INT,
                             &type);
    check_and_free(type, 6, (int[]){20, 24, 36, 40, 52, 56}, (int[]){0, 80, 20, 40});
    for (int i = 1; i < 3; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 2; k < 4; k++)
                offsets[count++] = 4 * ((i * 3 + j) * 4 + k);
    MPI_Type_create_subarray(3, (int[]){3, 3, 4}, (int[]){2, 2, 2}, (int[]){1, 0, 2}, MPI_ORDER_C, MPI_INT,
                             &type);
    check_and_free(type, 8, offsets, (int[]){0, 144, 56, 72});
    MPI_Type_create_subarray(2, (int[]){2, 2}, (int[]){2, 2}, (int[]){0, 0}, MPI_ORDER_C, MPI_INT, &type);
    check_and_free(type, 4, (int[]){0, 4, 8, 12}, (int[]){0, 16, 0, 16});
    return check_end();
}
