/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Hundreds of collectives in a row, where ranks run far ahead of each other, do not mix up. */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int round = 0; round < 300; round++) {
        int value = check_rank == round % check_size ? round : -1, sum = 0, all[5];
        MPI_Bcast(&value, 1, MPI_INT, round % check_size, MPI_COMM_WORLD);
        CHECK_INT(value, round);
        value += check_rank;
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, (round + 1) % check_size, MPI_COMM_WORLD);
        if (check_rank == (round + 1) % check_size)
            CHECK_INT(sum, 5 * round + 10);
        MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, (round + 2) % check_size, MPI_COMM_WORLD);
        if (check_rank == (round + 2) % check_size)
            for (int rank = 0; rank < check_size; rank++)
                CHECK_INT(all[rank], round + rank);
    }
    return check_end();
}
