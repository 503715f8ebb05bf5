/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_create_resized changes bounds, not data; MPI_Type_dup keeps everything (MPI 5.0 sections 5.1.7, 5.1.10). */
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, resized, copy, several;

    check_begin(&argc, &argv);
    MPI_Type_vector(2, 1, 3, MPI_INT, &type);
    MPI_Type_create_resized(type, -8, 32, &resized);
    MPI_Type_commit(&resized);
    check_layout(resized, 2, (int[]){0, 12}, (int[]){-8, 32, 0, 16});
    MPI_Type_dup(resized, &copy); /* is committed as its original */
    check_layout(copy, 2, (int[]){0, 12}, (int[]){-8, 32, 0, 16});
    MPI_Type_contiguous(2, resized, &several);
    check_and_free(several, 4, (int[]){0, 12, 32, 44}, (int[]){-8, 64, 0, 48});
    MPI_Type_free(&copy);
    MPI_Type_free(&resized);

    /* An extent smaller than the data lets elements interleave. */
    MPI_Type_create_resized(type, 0, 4, &resized);
    MPI_Type_contiguous(3, resized, &several);
    check_and_free(several, 6, (int[]){0, 12, 4, 16, 8, 20}, (int[]){0, 12, 0, 24});
    MPI_Type_free(&resized);
    MPI_Type_free(&type);
    return check_end();
}
