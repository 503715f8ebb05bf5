/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A message may be shorter than the receive's buffer; MPI_Get_count gives its length, and the rest of the buffer stays (MPI 5.0 section 3.2.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int size = 0; size <= 8; size++) {
        double values[8];
        for (int i = 0; i < 8; i++)
            values[i] = check_rank == 0 ? size * 10 + i : -1;
        if (check_rank == 0)
            MPI_Send(values, size, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        else {
            MPI_Status status;
            int doubles, bytes, pairs;
            MPI_Datatype pair;
            MPI_Recv(values, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
            MPI_Type_commit(&pair);
            MPI_Get_count(&status, MPI_DOUBLE, &doubles);
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            MPI_Get_count(&status, pair, &pairs);
            CHECK_INT(doubles, size);
            CHECK_INT(bytes, size * (int)sizeof(double));
            CHECK_INT(pairs, size % 2 == 0 ? size / 2 : MPI_UNDEFINED);
            for (int i = 0; i < 8; i++)
                CHECK_INT(values[i], i < size ? size * 10 + i : -1);
            MPI_Type_free(&pair);
        }
    }
    return check_end();
}
