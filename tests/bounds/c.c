/* Buffers that end where their variable or block ends, and buffers that do not: those lines say "beyond" or "freed". The
 * messages themselves fit, so nothing is damaged. Also compiled as C++. */
#include <malloc.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static char sink[1 << 16];

/* Rank 0 sends, and rank 1 has room. */
#define SEND(buffer, count, type)                                                              \
    (rank == 0 ? MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD)                           \
               : MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
/* Rank 0 asks for more than the four bytes that it gets. */
#define RECV(buffer, count, type)                                                                      \
    (rank == 0 ? MPI_Recv(buffer, count, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)                \
               : MPI_Send(sink, 4, MPI_PACKED, 0, 0, MPI_COMM_WORLD))

static int one, numbers[10], unused[10];
static double matrix[4][6];
static struct particle {
    char kind;
    double place[3];
    int charge;
} particles[5];
static union {
    float parts[4];
    char bytes[20];
} both;
static char odd[13];
int exported[7];

static void variables(void) {
    static int counter, history[3];
    SEND(&one, 1, MPI_INT);
    SEND(&one, 2, MPI_INT); /* beyond */
    SEND(&one, 1, MPI_DOUBLE); /* beyond */
    SEND(&one, 4, MPI_BYTE);
    SEND(&one, 5, MPI_BYTE); /* beyond */
    SEND(numbers, 10, MPI_INT);
    SEND(numbers, 11, MPI_INT); /* beyond */
    SEND(numbers + 3, 7, MPI_INT);
    SEND(numbers + 3, 8, MPI_INT); /* beyond */
    SEND(numbers, 0, MPI_INT);
    SEND(numbers + 10, 0, MPI_INT);
    SEND(matrix[2], 12, MPI_DOUBLE);
    SEND(matrix[2], 13, MPI_DOUBLE); /* beyond */
    SEND(&particles[4].place, 3, MPI_DOUBLE);
    SEND(&both, 5, MPI_FLOAT);
    SEND(&both, 6, MPI_FLOAT); /* beyond */
    SEND(odd, 13, MPI_CHAR);
    SEND(odd, 14, MPI_CHAR); /* beyond */
    SEND(exported, 7, MPI_INT);
    SEND(exported, 8, MPI_INT); /* beyond */
    SEND(&counter, 1, MPI_INT);
    SEND(history, 4, MPI_INT); /* beyond */
    RECV(numbers, 11, MPI_INT); /* beyond */
    RECV(numbers, 10, MPI_INT);
    RECV(&one, 8, MPI_BYTE); /* beyond */
}

static void blocks(void) {
    int *ten = (int *)malloc(10 * sizeof(int)), *three = (int *)calloc(3, sizeof(int)), *grown;
    char *byte = (char *)malloc(1), *aligned = (char *)aligned_alloc(64, 192), *used = (char *)malloc(5);
    memset(ten, 0, 10 * sizeof(int));
    memset(aligned, 0, 192);
    *byte = 0;
    SEND(ten, 10, MPI_INT);
    SEND(ten, 11, MPI_INT); /* beyond */
    SEND(ten + 9, 1, MPI_INT);
    SEND(ten + 9, 2, MPI_INT); /* beyond */
    SEND((char *)ten + 39, 1, MPI_CHAR);
    SEND((char *)ten + 40, 1, MPI_CHAR); /* freed: behind the block */
    SEND(three, 3, MPI_INT);
    SEND(three, 4, MPI_INT); /* beyond, although the block has room */
    SEND(byte, 1, MPI_CHAR);
    SEND(byte, 2, MPI_CHAR); /* beyond */
    SEND(aligned + 64, 128, MPI_CHAR);
    SEND(aligned + 64, 129, MPI_CHAR); /* beyond */
    grown = (int *)realloc(three, 300 * sizeof(int));
    memset(grown, 0, 300 * sizeof(int));
    SEND(grown, 300, MPI_INT);
    SEND(grown, 301, MPI_INT); /* beyond */
    grown = (int *)realloc(grown, 50 * sizeof(int));
    SEND(grown, 50, MPI_INT);
    SEND(grown, 51, MPI_INT); /* beyond */
    memset(used, 0, malloc_usable_size(used));
    SEND(used, (int)malloc_usable_size(used), MPI_CHAR);
    RECV(ten, 10, MPI_INT);
    RECV(ten, 11, MPI_INT); /* beyond */
    free(byte);
    free(aligned);
    free(used);
    SEND(ten, 10, MPI_INT);
    free(ten);
    SEND(ten, 10, MPI_INT); /* freed */
    SEND(grown + 1, 49, MPI_INT);
    free(grown);
    RECV(grown, 1, MPI_INT); /* freed */
}

/* Types with gaps: every other int; a struct without its padding. */
static void gaps(void) {
    MPI_Datatype column, pairs, particle, padded, far;
    const int lengths[3] = {1, 3, 1};
    const MPI_Aint places[3] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                                offsetof(struct particle, charge)};
    const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column);
    MPI_Type_vector(5, 1, 2, MPI_INT, &pairs);
    MPI_Type_create_struct(3, lengths, places, types, &particle);
    MPI_Type_create_resized(particle, 0, sizeof(struct particle), &padded);
    MPI_Type_commit(&column);
    MPI_Type_commit(&pairs);
    MPI_Type_commit(&padded);
    SEND(&matrix[0][5], 1, column);

    SEND(numbers, 1, pairs);
    SEND(numbers + 1, 1, pairs);
    SEND(particles, 5, padded);
    SEND(particles, 3, padded);
    SEND((char *)particles + sizeof particles - 8, 1, MPI_DOUBLE); /* other type */
    SEND((char *)particles + sizeof particles - 4, 1, MPI_DOUBLE); /* beyond */
    int *block = (int *)calloc(9, sizeof(int));
    SEND(block, 1, pairs);
    free(block);
    /* From one variable to another by absolute addresses: each run lies in its own. */
    MPI_Aint ends[2];
    const int counts[2] = {10, 1}, many[2] = {10, 2};
    MPI_Get_address(numbers, &ends[0]);
    MPI_Get_address(&one, &ends[1]);
    MPI_Type_create_hindexed(2, counts, ends, MPI_INT, &far);
    MPI_Type_commit(&far);
    SEND(MPI_BOTTOM, 1, far);
    MPI_Type_free(&far);
    MPI_Get_address(sink, &ends[0]);
    MPI_Type_create_hindexed(2, many, ends, MPI_INT, &far);
    MPI_Type_commit(&far);
    SEND(MPI_BOTTOM, 1, far); /* beyond */
    MPI_Type_free(&far);
    MPI_Type_free(&column);
    MPI_Type_free(&pairs);
    MPI_Type_free(&particle);
    MPI_Type_free(&padded);
}

/* The root of a gather needs room for all ranks; so do those of its relatives. */
static void collectives(void) {
    static int all[2], own[2];
    const int counts[2] = {1, 1}, places[2] = {0, 1}, apart[2] = {0, 2}, none[2] = {1, 0};
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, &one, 1, MPI_INT, 1, MPI_COMM_WORLD); /* beyond */
    MPI_Gatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(&rank, rank == 0, MPI_INT, all, none, apart, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(own, 1, MPI_INT, sink, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(&one, 1, MPI_INT, sink, 1, MPI_INT, 0, MPI_COMM_WORLD); /* beyond */
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD); /* beyond */
    MPI_Bcast(own, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(own, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&one, sink, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* beyond */
    MPI_Reduce(all, rank == 0 ? sink : NULL, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scan(MPI_IN_PLACE, own, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void others(void) {
    MPI_Request request;
    int place = 0;
    if (rank == 0) {
        MPI_Isend(odd, 14, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request); /* beyond */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send_init(odd, 14, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request); /* beyond */
        MPI_Request_free(&request);
    } else {
        MPI_Irecv(sink, 14, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(odd, 13, MPI_CHAR, 1 - rank, 0, sink, 14, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(odd, 14, MPI_CHAR, 1 - rank, 0, sink, 14, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* beyond */
    MPI_Pack(odd, 13, MPI_CHAR, sink, sizeof sink, &place, MPI_COMM_WORLD);
    MPI_Pack(odd, 14, MPI_CHAR, sink, sizeof sink, &place, MPI_COMM_WORLD); /* beyond */
    MPI_Send(odd, 14, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    variables();
    blocks();
    gaps();
    collectives();
    others();
    unused[0] = 0;
    MPI_Finalize();
    return 0;
}
