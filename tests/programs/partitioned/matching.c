/* smpi: ranks 3 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* Initialisations match in the order of the calls, by communicator, tag and ranks, and never with ordinary messages; the
 * sides may come in any order (MPI 5.0 §4.2.1). */
#include "../check.h"

enum { LANES = 4 };

static void init(int sends, int *data, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (sends)
        CHECK_OK(MPI_Psend_init(data, 2, 1, MPI_INT, peer, tag, comm, MPI_INFO_NULL, request));
    else
        CHECK_OK(MPI_Precv_init(data, 2, 1, MPI_INT, peer, tag, comm, MPI_INFO_NULL, request));
}

/* Several pairs with one tag, started in another order than they were made; beside them ordinary messages with the tag. */
static void same_tag(void)
{
    int data[LANES][2], plain = -1;
    MPI_Request requests[LANES], ordinary;

    if (check_rank > 1)
        return;
    for (int i = 0; i < LANES; i++) {
        for (int j = 0; j < 2; j++)
            data[i][j] = check_rank == 0 ? 10 * i + j : -1;
        init(check_rank == 0, data[i], 1 - check_rank, 3, MPI_COMM_WORLD, &requests[i]);
    }
    if (check_rank == 0) {
        plain = 99;
        CHECK_OK(MPI_Isend(&plain, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &ordinary));
    } else {
        CHECK_OK(MPI_Irecv(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &ordinary));
    }
    for (int i = 0; i < LANES; i++) {
        int which = check_rank == 0 ? i : LANES - 1 - i;
        CHECK_OK(MPI_Start(&requests[which]));
        if (check_rank == 0)
            CHECK_OK(MPI_Pready_range(0, 1, requests[which]));
    }
    CHECK_OK(MPI_Waitall(LANES, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Wait(&ordinary, MPI_STATUS_IGNORE));
    CHECK_INT(plain, 99);
    for (int i = 0; i < LANES; i++) {
        CHECK_INT(data[i][0], 10 * i);
        CHECK_INT(data[i][1], 10 * i + 1);
        CHECK_OK(MPI_Request_free(&requests[i]));
    }
}

/* The receiver is started before the sender is made, and the other way round. */
static void one_before_the_other(int sender_first)
{
    int data[2] = { -1, -1 };
    MPI_Request request;

    if (check_rank > 1)
        return;
    if (check_rank == sender_first) {
        int go;
        CHECK_OK(MPI_Recv(&go, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    init(check_rank == 0, data, 1 - check_rank, 5, MPI_COMM_WORLD, &request);
    CHECK_OK(MPI_Start(&request));
    if (check_rank == 0) {
        data[0] = 4, data[1] = 5;
        CHECK_OK(MPI_Pready(1, request));
        CHECK_OK(MPI_Pready(0, request));
    }
    if (check_rank != sender_first) {
        int go = 1;
        CHECK_OK(MPI_Send(&go, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(data[0], 4);
    CHECK_INT(data[1], 5);
    CHECK_OK(MPI_Request_free(&request));
}

/* The same tag on another communicator, to oneself, and from several ranks. */
static void other_places(void)
{
    MPI_Comm dup;
    int out[2] = { check_rank, 10 + check_rank }, in[3][2], self[2];
    MPI_Request requests[8];
    int count = 0;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    init(1, out, (check_rank + 1) % 3, 5, dup, &requests[count++]);
    init(1, out, check_rank, 5, MPI_COMM_WORLD, &requests[count++]);
    init(1, out, (check_rank + 1) % 3, 5, MPI_COMM_WORLD, &requests[count++]);
    init(0, in[0], (check_rank + 2) % 3, 5, MPI_COMM_WORLD, &requests[count++]);
    init(0, in[1], (check_rank + 2) % 3, 5, dup, &requests[count++]);
    init(0, self, check_rank, 5, MPI_COMM_WORLD, &requests[count++]);
    CHECK_OK(MPI_Startall(count, requests));
    for (int i = 0; i < 3; i++)
        CHECK_OK(MPI_Pready_range(0, 1, requests[i]));
    CHECK_OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(in[0][0], (check_rank + 2) % 3);
    CHECK_INT(in[1][1], 10 + (check_rank + 2) % 3);
    CHECK_INT(self[0], check_rank);
    for (int i = 0; i < count; i++)
        CHECK_OK(MPI_Request_free(&requests[i]));
    CHECK_OK(MPI_Comm_free(&dup));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    same_tag();
    one_before_the_other(0);
    one_before_the_other(1);
    other_places();
    return check_end();
}
