/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 134 */
/* smpi: expect-stdout jumped */
/* smpi: expect-stderr-contains the rank was after MPI_Barrier */
/* An error handler may leave the call that failed for good: the rank is in no call then. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf before;

static void jump(MPI_Comm *comm, int *code, ...)
{
    int rank;

    (void)code;
    MPI_Comm_rank(*comm, &rank);
    if (rank == 1)
        longjmp(before, 1);
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Errhandler handler;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(before) == 0)
        MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        puts("jumped");
    MPI_Barrier(MPI_COMM_WORLD);
    fflush(stdout);
    if (rank == 1)
        abort();
    MPI_Finalize();
    return 0;
}
