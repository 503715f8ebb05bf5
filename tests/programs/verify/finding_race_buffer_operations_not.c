/* What operations may do to each other's memory: send the same several times, also in collectives; use gaps of a datatype, memory
 * beside a buffer, and nothing at all; use it again when the operation is complete; free other blocks, leave other functions. */
/* smpi: passes race/buffer mpi/invalid/buffer */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdlib.h>

#define ROWS 100
#define COLUMNS 6
#define COMM MPI_COMM_WORLD

static int rank, other;
static int same[4], all[8];
static double matrix[ROWS][COLUMNS];

static void same_is_sent_often(void) {
    MPI_Request requests[5];
    int in[3];
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, other, i, COMM, &requests[i]);
    MPI_Isend(&same[0], 1, MPI_INT, other, 0, COMM, &requests[3]);
    MPI_Ibcast(&same[0], 2, MPI_INT, 0, MPI_COMM_SELF, &requests[4]);
    MPI_Ssend(&same[0], 1, MPI_INT, other, 1, COMM);
    MPI_Sendrecv(&same[0], 1, MPI_INT, other, 2, NULL, 0, MPI_INT, MPI_PROC_NULL, 2, COMM, MPI_STATUS_IGNORE);
    MPI_Allgather(&same[0], 4, MPI_INT, all, 4, MPI_INT, COMM);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
}

static void columns(void) {
    MPI_Datatype column;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Request requests[4];
    MPI_Irecv(&matrix[0][0], 1, column, other, 0, COMM, &requests[0]);
    MPI_Isend(&matrix[0][1], 1, column, other, 0, COMM, &requests[1]);
    MPI_Irecv(&matrix[0][2], 1, column, other, 1, COMM, &requests[2]);
    MPI_Isend(&matrix[0][3], 1, column, other, 1, COMM, &requests[3]);
    MPI_Sendrecv(&matrix[0][4], 1, column, other, 2, &matrix[0][5], 1, column, other, 2, COMM, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
}

static void interleaved(void) {
    MPI_Datatype every_second, narrow;
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
    MPI_Type_create_resized(every_second, 0, sizeof(int), &narrow);
    MPI_Type_commit(&narrow);
    int out[6] = {0}, in[6];
    MPI_Sendrecv(out, 2, narrow, other, 0, in, 2, narrow, other, 0, COMM, MPI_STATUS_IGNORE);
    MPI_Type_free(&every_second);
    MPI_Type_free(&narrow);
}

static void sent_twice(void) {
    MPI_Datatype repeated;
    int lengths[] = {1, 1}, places[] = {0, 0}, in[2];
    MPI_Type_indexed(2, lengths, places, MPI_INT, &repeated);
    MPI_Type_commit(&repeated);
    MPI_Sendrecv(same, 1, repeated, other, 0, in, 2, MPI_INT, other, 0, COMM, MPI_STATUS_IGNORE);
    int counts[] = {2, 2}, starts[] = {0, 1}, got[2];
    MPI_Scatterv(same, counts, starts, MPI_INT, got, 2, MPI_INT, 0, COMM);
    MPI_Alltoallv(same, counts, starts, MPI_INT, all, counts, (int[]){2, 0}, MPI_INT, COMM);
    MPI_Type_free(&repeated);
}

static void neighbours_and_nothing(void) {
    MPI_Request requests[6];
    MPI_Irecv(&same[0], 1, MPI_INT, other, 0, COMM, &requests[0]);
    MPI_Irecv(&same[1], 1, MPI_INT, other, 0, COMM, &requests[1]);
    MPI_Isend(&same[2], 1, MPI_INT, other, 0, COMM, &requests[2]);
    MPI_Isend(&same[0], 0, MPI_INT, other, 0, COMM, &requests[3]);
    MPI_Irecv(&same[0], 4, MPI_INT, MPI_PROC_NULL, 0, COMM, &requests[4]);
    MPI_Recv_init(&same[0], 4, MPI_INT, other, 5, COMM, &requests[5]);
    MPI_Allreduce(MPI_IN_PLACE, all, 8, MPI_INT, MPI_SUM, COMM);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[5]);
    MPI_Bcast(same, 4, MPI_INT, 0, COMM);
    MPI_Sendrecv_replace(same, 4, MPI_INT, other, 0, other, 0, COMM, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static int deeper(int depth) {
    volatile int local[100] = {depth};
    MPI_Comm_rank(COMM, (int *)&local[1]);
    return depth > 0 ? deeper(depth - 1) + local[0] : 0;
}

static void blocks_and_functions(void) {
    int *before = malloc(64), *block = malloc(64), *after = malloc(64), local;
    MPI_Request requests[3];
    MPI_Irecv(block, 4, MPI_INT, other, 0, COMM, &requests[0]);
    MPI_Irecv(&local, 1, MPI_INT, other, 1, COMM, &requests[1]);
    free(before);
    free(after);
    deeper(5);
    MPI_Isend(same, 4, MPI_INT, other, 0, COMM, &requests[2]);
    MPI_Ssend(same, 1, MPI_INT, other, 1, COMM);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    block = realloc(block, 128);
    free(block);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COMM, &rank);
    other = 1 - rank;
    same_is_sent_often();
    columns();
    interleaved();
    sent_twice();
    neighbours_and_nothing();
    blocks_and_functions();
    MPI_Finalize();
    return 0;
}
