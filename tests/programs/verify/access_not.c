/* Everything that is allowed while operations are under way: reading send buffers, using the gaps of a datatype, memory beside
 * a buffer, buffers after Wait, Test, Waitany, Waitall, Request_free; persistent requests before their start. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>
#include <string.h>

#define ROWS 8
#define COLUMNS 5

static double matrix[ROWS][COLUMNS];
static int around[3];

static void columns(int other) {
    MPI_Datatype column;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Request requests[2];
    MPI_Isend(&matrix[0][1], 1, column, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&matrix[0][3], 1, column, other, 0, MPI_COMM_WORLD, &requests[1]);
    for (int row = 0; row < ROWS; row++) {
        matrix[row][0] = matrix[row][1];
        matrix[row][2] = 2.0;
        matrix[row][4] = matrix[row][2] + 1;
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int row = 0; row < ROWS; row++)
        matrix[row][1] = matrix[row][3] + 1;
    MPI_Type_free(&column);
}

static void neighbours(int other) {
    MPI_Request requests[2];
    MPI_Irecv(&around[1], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
    around[0] = around[2] = other;
    int value = around[0], done;
    MPI_Isend(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1]);
    assert(value == other);
    MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
    if (done == 0)
        around[1]++;
    else
        value++;
    MPI_Wait(&requests[1 - done], MPI_STATUS_IGNORE);
    around[1] += value;
}

static void persistent(int other) {
    static char text[2][16];
    MPI_Request requests[2];
    MPI_Send_init(text[0], 16, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(text[1], 16, MPI_CHAR, other, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        memset(text, 'a' + i, sizeof text);
        MPI_Startall(2, requests);
        assert(memchr(text[0], 'a' + i, 16));
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        memcpy(text[0], text[1], 16);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    memset(text, 0, sizeof text);
}

static void collectives(int rank) {
    int sum = 0, own = rank, all[2];
    MPI_Request requests[2];
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    assert(own == rank);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    assert(sum == 1 && all[0] == 0 && all[1] == 1);
    own = sum = all[0] = 7;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    columns(1 - rank);
    neighbours(1 - rank);
    persistent(1 - rank);
    collectives(rank);
    MPI_Finalize();
    return 0;
}
