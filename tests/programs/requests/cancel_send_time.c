/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: smpirun-args --cfg=smpi/async-small-thresh:10000000 */
/* smpi: expect-pass */
/* smpi: verified exit-code mpi/invalid/datatype mpi/type-mismatch */
/* A small message is cancelled on its way, and a large one follows. The small one arrives first, is dropped, and does not make
 * the large one arrive early. */
#include "../check.h"

#define MANY 500000

static double values[MANY];

/* Sends them with the date, and gives the time that they took. */
static double transfer(void)
{
    if (check_rank == 0) {
        values[0] = MPI_Wtime();
        MPI_Send(values, MANY, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        return 0;
    }
    MPI_Recv(values, MANY, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Wtime() - values[0];
}

int main(int argc, char **argv)
{
    double alone, behind;
    int flag = 0, value = 1, token = 0;
    MPI_Request request;
    MPI_Status status;

    check_begin(&argc, &argv);
    alone = transfer();
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 1);
        MPI_Isend(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    behind = transfer();
    if (check_rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(check_rank == 0 || (behind > 0.999 * alone && behind < 1.1 * alone));
    return check_end();
}
