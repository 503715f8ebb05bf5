/* While a rank is blocked in a receive, a probe, a Waitany or a poll, it applies the program's operation of a nonblocking
 * reduction that others wait for (MPI 5.0 sections 3.5, 6.12): no deadlock. */
/* smpi: ranks 4 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    (void)type;
}

int main(int argc, char **argv) {
    int rank, mine, sum = 0, go = 17, index, found = 0;
    MPI_Request reduction, receive;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = 1 << rank;
    MPI_Op_create(add, 1, &op);
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &reduction);
    switch (rank) {
    case 0:
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
        for (int peer = 1; peer < 4; peer++)
            MPI_Send(&go, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Irecv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &receive);
        MPI_Waitany(1, &receive, &index, MPI_STATUS_IGNORE);
        break;
    default:
        while (!found)
            MPI_Iprobe(0, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank != 0)
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    assert(sum == 15 && go == 17);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
