/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: smpirun-args --cfg=smpi/allreduce:rdb */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains rank    0  MPI_Allreduce waits for */
/* smpi: expect-stderr-contains rank    1  MPI_Allreduce waits for */
/* A rank is inside the reduction also when the program's function has called MPI meanwhile: reports name that call. */
#include <mpi.h>

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int size;

    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
    MPI_Op op;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    if (rank == 2) /* Ranks 0 and 1 combine their values, and wait for the others. */
        MPI_Recv(&one, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
