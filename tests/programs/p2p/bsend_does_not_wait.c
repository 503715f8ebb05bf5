/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Two ranks that both Bsend large messages before they receive do not block each other (MPI 5.0 section 3.4). */
#include "../check.h"

#define COUNT 100000

int main(int argc, char **argv)
{
    static int out[COUNT], in[COUNT];
    int capacity = (int)sizeof out + MPI_BSEND_OVERHEAD, size, wrong = 0;
    void *space = malloc((size_t)capacity), *detached;

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    MPI_Buffer_attach(space, capacity);
    for (int i = 0; i < COUNT; i++)
        out[i] = i + check_rank;
    MPI_Bsend(out, COUNT, MPI_INT, peer, 0, MPI_COMM_WORLD);
    memset(out, 0, sizeof out);
    MPI_Recv(in, COUNT, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++)
        wrong += in[i] != i + peer;
    CHECK_INT(wrong, 0);
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == space);
    free(space);
    return check_end();
}
