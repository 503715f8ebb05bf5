/* smpi: ranks 12 */
/* smpi: expect-pass */
/* A halo exchange on a torus with at least three ranks in each dimension, repeated, with large faces. */
#include "../check.h"

int main(int argc, char **argv)
{
    enum { FACE = 20000 };
    int dims[2] = {4, 3}, periods[2] = {1, 1}, neighbours[4];
    int *send, *recv;
    MPI_Comm torus;
    MPI_Request request;

    check_begin(&argc, &argv);
    send = malloc(4 * FACE * sizeof(int));
    recv = malloc(4 * FACE * sizeof(int));
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus);
    for (int i = 0; i < 2; i++)
        MPI_Cart_shift(torus, i, 1, &neighbours[2 * i], &neighbours[2 * i + 1]);
    for (int round = 0; round < 3; round++) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < FACE; k++)
                send[i * FACE + k] = check_rank * 100 + i * 10 + round + k % 7;
        }
        MPI_Ineighbor_alltoall(send, FACE, MPI_INT, recv, FACE, MPI_INT, torus, &request);
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, torus); /* meanwhile */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_INT(sum, 66);
        for (int i = 0; i < 4; i++) {
            int wrong = 0;
            for (int k = 0; k < FACE; k++)
                wrong += recv[i * FACE + k] != neighbours[i] * 100 + (i ^ 1) * 10 + round + k % 7;
            CHECK_INT(wrong, 0);
        }
    }
    MPI_Comm_free(&torus);
    free(send);
    free(recv);
    return check_end();
}
