/* smpi: ranks 5 */
/* smpi: expect-pass */
/* In MPI_Bcast the root and the others may describe the same data by different types (MPI 5.0 section 6.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int matrix[6][4], column[6];
    MPI_Datatype column_type;
    MPI_Request request;

    check_begin(&argc, &argv);
    MPI_Type_vector(6, 1, 4, MPI_INT, &column_type);
    MPI_Type_commit(&column_type);
    for (int root = 0; root < check_size; root++) {
        for (int row = 0; row < 6; row++) {
            column[row] = -1;
            for (int i = 0; i < 4; i++)
                matrix[row][i] = root * 100 + row * 4 + i;
        }
        if (check_rank == root)
            MPI_Bcast(&matrix[0][2], 1, column_type, root, MPI_COMM_WORLD);
        else
            MPI_Bcast(column, 6, MPI_INT, root, MPI_COMM_WORLD);
        for (int row = 0; row < 6 && check_rank != root; row++)
            CHECK_INT(column[row], root * 100 + row * 4 + 2);

        /* And back: the root is contiguous, the others have gaps that must stay. */
        if (check_rank == root) {
            for (int row = 0; row < 6; row++)
                column[row] = 7000 + row;
            MPI_Ibcast(column, 6, MPI_INT, root, MPI_COMM_WORLD, &request);
        } else
            MPI_Ibcast(&matrix[0][1], 1, column_type, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int row = 0; row < 6 && check_rank != root; row++) {
            CHECK_INT(matrix[row][1], 7000 + row);
            CHECK_INT(matrix[row][0], root * 100 + row * 4);
        }
    }
    MPI_Type_free(&column_type);
    return check_end();
}
