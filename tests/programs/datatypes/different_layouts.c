/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Sender and receiver may use different types with the same signature, for short and for long messages (MPI 5.0 section 3.3.1). */
#include "../check.h"

#define EDGE 200

int main(int argc, char **argv)
{
    static double matrix[EDGE][EDGE];
    MPI_Datatype column, transposed;
    int wrong = 0;

    check_begin(&argc, &argv);
    MPI_Type_vector(EDGE, 1, EDGE, MPI_DOUBLE, &column);
    MPI_Type_create_hvector(EDGE, 1, sizeof(double), column, &transposed);
    MPI_Type_commit(&column);
    MPI_Type_commit(&transposed);
    if (check_rank == 0) {
        for (int i = 0; i < EDGE; i++)
            for (int j = 0; j < EDGE; j++)
                matrix[i][j] = i * 1000 + j;
        MPI_Send(&matrix[0][3], 1, column, 1, 0, MPI_COMM_WORLD);
        MPI_Send(matrix, 1, transposed, 1, 1, MPI_COMM_WORLD); /* 320,000 bytes */
        MPI_Send(matrix, EDGE * EDGE, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    } else {
        double line[EDGE];
        MPI_Recv(line, EDGE, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < EDGE; i++)
            wrong += line[i] != i * 1000 + 3;
        CHECK_INT(wrong, 0);
        for (int tag = 1; tag <= 2; tag++) {
            wrong = 0;
            memset(matrix, 0, sizeof matrix);
            if (tag == 1)
                MPI_Recv(matrix, EDGE * EDGE, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Recv(matrix, 1, transposed, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < EDGE; i++)
                for (int j = 0; j < EDGE; j++)
                    wrong += matrix[i][j] != j * 1000 + i;
            CHECK_INT(wrong, 0);
        }
    }
    MPI_Type_free(&column);
    MPI_Type_free(&transposed);
    return check_end();
}
