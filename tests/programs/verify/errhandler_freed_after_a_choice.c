/* A handler is freed after a choice: it is there again, with all its handles, whenever the exploration goes back. */
/* smpi: requires smpi */
/* smpi: ranks 3 */
/* smpi: smpirun-args --cfg=smpi/self-check:yes */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdlib.h>

static int calls;

static void handler(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    (void)code;
    calls++;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler made, set;
    MPI_Comm_create_errhandler(handler, &made);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, made);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &set);
        if (set != made)
            abort();
        MPI_Errhandler_free(&set);
        MPI_Errhandler_free(&made);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &made);
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
        if (calls != 1)
            abort();
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Errhandler_free(&made);
    MPI_Finalize();
    return 0;
}
