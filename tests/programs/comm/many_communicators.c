/* smpi: ranks 4 */
/* smpi: expect-pass */
/* A hundred communicators live at once, and hundreds are made and freed in a row. */
#include "../check.h"

#define ALIVE 100

int main(int argc, char **argv)
{
    MPI_Comm comms[ALIVE];
    int sum;

    check_begin(&argc, &argv);
    for (int i = 0; i < ALIVE; i++) {
        if (i % 2)
            MPI_Comm_dup(i > 1 ? comms[i - 1] : MPI_COMM_WORLD, &comms[i]);
        else
            MPI_Comm_split(MPI_COMM_WORLD, 0, i % 4 ? -check_rank : check_rank, &comms[i]);
    }
    for (int i = ALIVE - 1; i >= 0; i--) {
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
        CHECK_INT(sum, 4 * i);
        MPI_Comm_free(&comms[i]);
    }
    for (int i = 0; i < 300; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
    return check_end();
}
