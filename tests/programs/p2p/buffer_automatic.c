/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Automatic buffering, buffers of a communicator, and flushing (MPI 5.0 section 3.6). */
#include "../check.h"

int main(int argc, char **argv)
{
    static int data[20000];
    char space[1000 + MPI_BSEND_OVERHEAD];
    void *detached = NULL;
    int size = -1, value = 0;
    MPI_Comm comm;
    MPI_Request request;

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    /* The library finds the space itself. */
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    data[19999] = 100 + check_rank;
    MPI_Bsend(data, 20000, MPI_INT, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 20000, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(data[19999], 100 + peer);
    MPI_Buffer_flush();
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == MPI_BUFFER_AUTOMATIC);

    /* A communicator's own buffer. */
    MPI_Comm_attach_buffer(comm, space, sizeof space);
    MPI_Bsend(&check_rank, 1, MPI_INT, peer, 1, comm);
    MPI_Recv(&value, 1, MPI_INT, peer, 1, comm, MPI_STATUS_IGNORE);
    CHECK_INT(value, peer);
    MPI_Comm_flush_buffer(comm);
    MPI_Comm_iflush_buffer(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(comm, &detached, &size);
    CHECK(detached == space && size == (int)sizeof space);
    MPI_Comm_free(&comm);
    return check_end();
}
