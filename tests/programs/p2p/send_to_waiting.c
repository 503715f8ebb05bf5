/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Long messages for a rank that waits for them already: each receive gets what was in the buffer when MPI_Send was called,
 * whatever the layout of the two sides, and whatever else the sender sends meanwhile. */
#include "../check.h"

#define COUNT 1000

static int out[2 * COUNT], in[3][2 * COUNT];

/* Tells rank 0 that the receives are posted; it sends afterwards. */
static void ready(void)
{
    MPI_Request request;
    MPI_Issend(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send(int value, int count, MPI_Datatype type, int tag)
{
    for (int i = 0; i < 2 * COUNT; i++)
        out[i] = value + i;
    CHECK_OK(MPI_Send(out, count, type, 1, tag, MPI_COMM_WORLD));
    memset(out, -1, sizeof out);
}

int main(int argc, char **argv)
{
    MPI_Datatype every_other;
    MPI_Status status;

    check_begin(&argc, &argv);
    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    for (int layouts = 0; layouts < 4; layouts++) {
        MPI_Datatype sent = layouts & 1 ? every_other : MPI_INT, received = layouts & 2 ? every_other : MPI_INT;
        int stride = layouts & 1 ? 2 : 1, place = layouts & 2 ? 2 : 1;
        if (check_rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send(layouts, layouts & 1 ? 1 : COUNT, sent, 5);
        } else if (check_rank == 1) {
            memset(in, 0, sizeof in);
            ready();
            MPI_Recv(in[0], layouts & 2 ? 1 : COUNT, received, 0, 5, MPI_COMM_WORLD, &status);
            CHECK_INT(status.MPI_TAG, 5);
            for (int i = 0; i < COUNT; i++)
                CHECK_INT(in[0][place * i], layouts + stride * i);
            CHECK_INT(in[0][1], layouts & 2 ? 0 : layouts + stride);
        }
    }
    /* Two messages at one instant, in either order of tags, and one of another rank for a receive from any source. */
    for (int turn = 0; turn < 2; turn++) {
        if (check_rank == 0) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send(100, COUNT, MPI_INT, turn == 0 ? 5 : 6);
            send(200, COUNT, MPI_INT, turn == 0 ? 6 : 5);
        } else if (check_rank == 1) {
            MPI_Request requests[3];
            MPI_Irecv(in[0], COUNT, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(in[1], COUNT, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
            MPI_Irecv(in[2], COUNT, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[2]);
            ready();
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
            CHECK_INT(in[0][COUNT - 1], (turn == 0 ? 100 : 200) + COUNT - 1);
            CHECK_INT(in[1][COUNT - 1], (turn == 0 ? 200 : 100) + COUNT - 1);
            CHECK_INT(in[2][COUNT - 1], 300 + COUNT - 1);
        } else {
            send(300, COUNT, MPI_INT, 7);
        }
    }
    MPI_Type_free(&every_other);
    return check_end();
}
