/* smpi: ranks 4 */
/* smpi: platform failing.toml */
/* smpi: expect-exit 5 */
/* smpi: expect-pass */
/* smpi: expect-stderr-contains host node-1 failed at 1.000000 s: rank 1 ended */
/* smpi: twice */
/* smpi: requires smpi */
/* Programs whose error handlers return see which operations fail, at once: a receive from the failed rank, a send that
 * needs it, a collective operation. What it had let go arrives, and the others can go on without it. */
#include "../check.h"
#include <smpi/smpi.h>
#include <stdlib.h>

#define BIG (1 << 20)

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char** argv)
{
    int rank, got = 0, sum = 0;
    MPI_Request request;
    MPI_Comm others;
    char* big = malloc(BIG);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &others);
    if (rank == 1) {
        int last = 7;
        MPI_Send(&last, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        smpi_execute_flops(1e10);
        MPI_Send(&last, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        CHECK(class_of(MPI_Recv(&got, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_PROC_ABORTED);
        CHECK(MPI_Wtime() > 0.999 && MPI_Wtime() < 1.001);
        CHECK(MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == 7);
        /* Nothing is left to come, also for receives that begin later. */
        CHECK(class_of(MPI_Recv(&got, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_PROC_ABORTED);
    }
    if (rank == 2) {
        MPI_Isend(big, BIG, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &request);
        CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_PROC_ABORTED);
        CHECK(MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    if (rank == 3) {
        CHECK(class_of(MPI_Bcast(&got, 1, MPI_INT, 1, MPI_COMM_WORLD)) == MPI_ERR_PROC_ABORTED);
        CHECK(class_of(MPI_Ssend(&got, 1, MPI_INT, 1, 6, MPI_COMM_WORLD)) == MPI_ERR_PROC_ABORTED);
    } else
        MPI_Bcast(&got, 1, MPI_INT, 1, MPI_COMM_WORLD);
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, others) == MPI_SUCCESS && sum == 0 + 2 + 3);
    if (rank == 0)
        printf("PASS\n");
    fflush(stdout);
    free(big);
    /* MPI_Finalize would wait for the failed rank. */
    _Exit(0);
}
