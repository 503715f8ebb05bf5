/* What is nearly the message that a rank waits for, of each kind of call that sends or receives: with the line that made it. Behind a
 * reduction of the program's own that calls MPI as well. */
/* smpi: ranks 10 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains ; rank 1 has sent it one with tag 1 ( */
/* smpi: expect-stderr-contains requests.c:54) */
/* smpi: expect-stderr-contains ; rank 3 has made a persistent send of it and not started it ( */
/* smpi: expect-stderr-contains requests.c:60) */
/* smpi: expect-stderr-contains ; rank 5 has sent it one with tag 5 ( */
/* smpi: expect-stderr-contains requests.c:66) */
/* smpi: expect-stderr-contains ; rank 7 has posted a receive from any rank with tag 7 ( */
/* smpi: expect-stderr-contains requests.c:72) */
/* smpi: expect-stderr-contains ; rank 9 has sent it one with tag 9 on another communicator ( */
/* smpi: expect-stderr-contains requests.c:78) */
#include <mpi.h>
#include <stdlib.h>

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;

    MPI_Type_size(*type, &size);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    if (size != sizeof(int))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static int large[1 << 20];

int main(int argc, char **argv)
{
    static char room[1000];
    MPI_Request request;
    MPI_Comm other;
    MPI_Op sum;
    int rank, value = 1, all, bytes = sizeof room;
    void *buffer = room;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Op_create(add, 1, &sum);
    MPI_Allreduce(&value, &all, 1, MPI_INT, sum, MPI_COMM_WORLD);
    MPI_Op_free(&sum);
    MPI_Buffer_attach(buffer, bytes);
    switch (rank) {
    case 0:
        MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Bsend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        break;
    case 2:
        MPI_Recv(&value, 1, MPI_INT, 3, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Send_init(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &request);
        break;
    case 4:
        MPI_Recv(&value, 1, MPI_INT, 5, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 5:
        MPI_Isend(large, 1 << 20, MPI_INT, 4, 5, MPI_COMM_WORLD, &request);
        break;
    case 6:
        MPI_Ssend(&value, 1, MPI_INT, 7, 6, MPI_COMM_WORLD);
        break;
    case 7:
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
        break;
    case 8:
        MPI_Recv(&value, 1, MPI_INT, 9, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 9:
        MPI_Sendrecv(&value, 1, MPI_INT, 8, 9, &all, 1, MPI_INT, MPI_PROC_NULL, 0, other, MPI_STATUS_IGNORE);
        break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
