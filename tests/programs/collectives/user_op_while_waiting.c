/* smpi: ranks 5 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/*
 * A nonblocking reduction with the program's own operation goes on while its
 * ranks are blocked in other calls: what rank 0 sends, and receives, after it
 * must not have to wait for the others' MPI_Wait (MPI 5.0 sections 3.5, 6.12).
 */
#include "../check.h"

#define LARGE 40000

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    (void)type;
}

/* Blocks in another call on every rank until rank 0 has the reduction's result. */
static void block_until_root_is_through(int rank)
{
    static int large[LARGE];
    MPI_Request pair[2];
    MPI_Status status;
    void *buffer;
    int go = 0, never = 0, index, size;

    switch (rank) {
    case 1:
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Irecv(&never, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &pair[0]);
        MPI_Irecv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &pair[1]);
        MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
        CHECK_INT(index, 1);
        MPI_Cancel(&pair[0]);
        MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
        break;
    default:
        size = (int)sizeof large + MPI_BSEND_OVERHEAD;
        buffer = malloc((size_t)size);
        MPI_Buffer_attach(buffer, size);
        MPI_Bsend(large, LARGE, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
        free(buffer);
        MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK_INT(go, 17);
}

int main(int argc, char **argv)
{
    static int large[LARGE];
    int mine, sum = 0, go = 17;
    MPI_Request reduction;
    MPI_Op op;

    check_begin(&argc, &argv);
    mine = 1 << check_rank;
    MPI_Op_create(add, 1, &op);
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &reduction);
    if (check_rank == 0) {
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
        for (int peer = 1; peer < check_size; peer++)
            MPI_Send(&go, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(large, LARGE, MPI_INT, 4, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        block_until_root_is_through(check_rank);
        MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    }
    CHECK_INT(sum, 31);
    MPI_Op_free(&op);
    return check_end();
}
