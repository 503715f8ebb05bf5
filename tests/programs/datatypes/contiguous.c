/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_contiguous: copies one extent apart, of basic and of resized types (MPI 5.0 section 5.1.2). */
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, wide;

    check_begin(&argc, &argv);
    MPI_Type_contiguous(3, MPI_INT, &type);
    check_and_free(type, 3, (int[]){0, 4, 8}, (int[]){0, 12, 0, 12});
    MPI_Type_create_resized(MPI_INT, 0, 12, &wide);
    MPI_Type_contiguous(3, wide, &type);
    check_and_free(type, 3, (int[]){0, 12, 24}, (int[]){0, 36, 0, 28});
    MPI_Type_free(&wide);
    MPI_Type_create_resized(MPI_INT, -4, -8, &wide); /* a negative extent goes backwards */
    MPI_Type_contiguous(3, wide, &type);
    check_and_free(type, 3, (int[]){0, -8, -16}, (int[]){-20, 8, -16, 20});
    MPI_Type_free(&wide);
    MPI_Type_contiguous(0, MPI_INT, &type);
    check_and_free(type, 0, NULL, (int[]){0, 0, 0, 0});
    return check_end();
}
