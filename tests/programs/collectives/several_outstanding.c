/* smpi: ranks 7 */
/* smpi: expect-pass */
/* Several nonblocking collectives may be under way on one communicator, and complete in any order (MPI 5.0 section 6.12). */
#include "../check.h"

#define COUNT 2000
#define ROUNDS 6

int main(int argc, char **argv)
{
    static int value[ROUNDS][COUNT], sum[ROUNDS][COUNT], all[ROUNDS][7], prefix[ROUNDS];
    MPI_Request requests[4 * ROUNDS];
    int wrong = 0;

    check_begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        int root = round % check_size;
        for (int i = 0; i < COUNT; i++) {
            value[round][i] = check_rank == root ? round * 10 + i : -1;
            sum[round][i] = check_rank * i + round;
        }
        all[round][check_rank] = check_rank * 100 + round;
        prefix[round] = check_rank + round;
        MPI_Ibcast(value[round], COUNT, MPI_INT, root, MPI_COMM_WORLD, &requests[4 * round]);
        MPI_Iallreduce(MPI_IN_PLACE, sum[round], COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                       &requests[4 * round + 1]);
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all[round], 1, MPI_INT, MPI_COMM_WORLD,
                       &requests[4 * round + 2]);
        MPI_Iscan(MPI_IN_PLACE, &prefix[round], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                  &requests[4 * round + 3]);
    }
    /* Even ranks wait from the last to the first, odd ranks the other way round. */
    for (int i = 0; i < 4 * ROUNDS; i++)
        MPI_Wait(&requests[check_rank % 2 ? i : 4 * ROUNDS - 1 - i], MPI_STATUS_IGNORE);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            wrong += value[round][i] != round * 10 + i;
            wrong += sum[round][i] != check_size * (check_size - 1) / 2 * i + check_size * round;
        }
        for (int rank = 0; rank < check_size; rank++)
            wrong += all[round][rank] != rank * 100 + round;
        wrong += prefix[round] != check_rank + round;
    }
    CHECK_INT(wrong, 0);
    return check_end();
}
