/*
 * Times of collective operations.
 *
 * collectives OPERATION RANKS,RANKS,... BYTES,BYTES,... [LEAST]: the operation on the first ranks of the world, for
 * each number of ranks (0: MPI_COMM_WORLD itself) and each size, and for the first and the last rank as root. BYTES are those of the whole vector
 * for broadcasts, reductions and scans, and of a block otherwise. Operations whose blocks may differ in size
 * (gatherv ...) have blocks of 1, 2 and 3 times BYTES in turn, or of LEAST, LEAST + 1 and LEAST + 2 times. An i before
 * the operation's name stands for the nonblocking one, and a wait. A + before it: before the measurements on a
 * communicator it is done once with each size, so that what the first call alone costs is not measured.
 */
#include "slots.h"

#define MAX_RANKS 64

static MPI_Comm comm;
static int rank, size, bytes, root, least = 1;
static char *out, *in;
static int is_nonblocking, is_tried_first;
static MPI_Request request;
/* Blocks of different sizes. */
static int counts[MAX_RANKS], starts[MAX_RANKS], counts_to[MAX_RANKS], starts_to[MAX_RANKS];
static MPI_Datatype types[MAX_RANKS];

static void lay_out(void)
{
    int start = 0;

    for (int i = 0; i < size; i++) {
        counts[i] = bytes * (least + i % 3);
        starts[i] = start;
        start += counts[i];
    }
}

/* Those that a rank exchanges with the others; what i has for j is as large as what j has for i. */
static void lay_out_to_all(void)
{
    int start = 0;

    for (int i = 0; i < size; i++) {
        counts_to[i] = bytes * (least + (rank + i) % 3);
        starts_to[i] = start;
        start += counts_to[i];
        types[i] = MPI_CHAR;
    }
}

static void barrier(void)
{
    if (is_nonblocking)
        MPI_Ibarrier(comm, &request);
    else
        MPI_Barrier(comm);
}

static void bcast(void)
{
    if (is_nonblocking)
        MPI_Ibcast(out, bytes, MPI_CHAR, root, comm, &request);
    else
        MPI_Bcast(out, bytes, MPI_CHAR, root, comm);
}

static void gather(void)
{
    if (is_nonblocking)
        MPI_Igather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, root, comm, &request);
    else
        MPI_Gather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, root, comm);
}

static void gatherv(void)
{
    if (is_nonblocking)
        MPI_Igatherv(out, counts[rank], MPI_CHAR, in, counts, starts, MPI_CHAR, root, comm, &request);
    else
        MPI_Gatherv(out, counts[rank], MPI_CHAR, in, counts, starts, MPI_CHAR, root, comm);
}

static void scatter(void)
{
    if (is_nonblocking)
        MPI_Iscatter(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, root, comm, &request);
    else
        MPI_Scatter(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, root, comm);
}

static void scatterv(void)
{
    if (is_nonblocking)
        MPI_Iscatterv(out, counts, starts, MPI_CHAR, in, counts[rank], MPI_CHAR, root, comm, &request);
    else
        MPI_Scatterv(out, counts, starts, MPI_CHAR, in, counts[rank], MPI_CHAR, root, comm);
}

static void allgather(void)
{
    if (is_nonblocking)
        MPI_Iallgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, comm, &request);
    else
        MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, comm);
}

static void allgatherv(void)
{
    if (is_nonblocking)
        MPI_Iallgatherv(out, counts[rank], MPI_CHAR, in, counts, starts, MPI_CHAR, comm, &request);
    else
        MPI_Allgatherv(out, counts[rank], MPI_CHAR, in, counts, starts, MPI_CHAR, comm);
}

static void alltoall(void)
{
    if (is_nonblocking)
        MPI_Ialltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, comm, &request);
    else
        MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, comm);
}

static void alltoallv(void)
{
    if (is_nonblocking)
        MPI_Ialltoallv(out, counts_to, starts_to, MPI_CHAR, in, counts_to, starts_to, MPI_CHAR, comm, &request);
    else
        MPI_Alltoallv(out, counts_to, starts_to, MPI_CHAR, in, counts_to, starts_to, MPI_CHAR, comm);
}

static void alltoallw(void)
{
    if (is_nonblocking)
        MPI_Ialltoallw(out, counts_to, starts_to, types, in, counts_to, starts_to, types, comm, &request);
    else
        MPI_Alltoallw(out, counts_to, starts_to, types, in, counts_to, starts_to, types, comm);
}

static void reduce(void)
{
    if (is_nonblocking)
        MPI_Ireduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, root, comm, &request);
    else
        MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, root, comm);
}

static void allreduce(void)
{
    if (is_nonblocking)
        MPI_Iallreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, comm, &request);
    else
        MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, comm);
}

/* Each rank gets as many elements as another, or one more. */
static void reduce_scatter(void)
{
    int elements[MAX_RANKS];

    for (int i = 0; i < size; i++)
        elements[i] = (bytes / 8 + i) / size;
    if (is_nonblocking)
        MPI_Ireduce_scatter(out, in, elements, MPI_DOUBLE, MPI_SUM, comm, &request);
    else
        MPI_Reduce_scatter(out, in, elements, MPI_DOUBLE, MPI_SUM, comm);
}

static void reduce_scatter_block(void)
{
    if (is_nonblocking)
        MPI_Ireduce_scatter_block(out, in, bytes / 8 / size, MPI_DOUBLE, MPI_SUM, comm, &request);
    else
        MPI_Reduce_scatter_block(out, in, bytes / 8 / size, MPI_DOUBLE, MPI_SUM, comm);
}

static void scan(void)
{
    if (is_nonblocking)
        MPI_Iscan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, comm, &request);
    else
        MPI_Scan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, comm);
}

static void exscan(void)
{
    if (is_nonblocking)
        MPI_Iexscan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, comm, &request);
    else
        MPI_Exscan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, comm);
}

/* New communicators stay until the end: freeing them is another call. */
static void split(void)
{
    MPI_Comm made;

    MPI_Comm_split(comm, 0, -rank, &made);
}

static void split_in_three(void)
{
    MPI_Comm made;

    MPI_Comm_split(comm, rank % 3, rank, &made);
}

static void duplicate(void)
{
    MPI_Comm made;

    MPI_Comm_dup(comm, &made);
}

/* A grid of two dimensions; the communicator has it already in the second case. */
static MPI_Comm grid;

static void cartesian(void)
{
    int dims[2] = { 0, 0 }, periods[2] = { 1, 0 };

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, 0, &grid);
}

static void rows(void)
{
    int remain[2] = { 0, 1 };
    MPI_Comm row;

    MPI_Cart_sub(grid, remain, &row);
}

static const struct {
    const char *name;
    void (*run)(void);
    /* Whether it has a root. */
    int is_rooted;
} operations[] = {
    { "barrier", barrier, 0 },
    { "bcast", bcast, 1 },
    { "gather", gather, 1 },
    { "gatherv", gatherv, 1 },
    { "scatter", scatter, 1 },
    { "scatterv", scatterv, 1 },
    { "allgather", allgather, 0 },
    { "allgatherv", allgatherv, 0 },
    { "alltoall", alltoall, 0 },
    { "alltoallv", alltoallv, 0 },
    { "alltoallw", alltoallw, 0 },
    { "reduce", reduce, 1 },
    { "allreduce", allreduce, 0 },
    { "reduce_scatter", reduce_scatter, 0 },
    { "reduce_scatter_block", reduce_scatter_block, 0 },
    { "scan", scan, 0 },
    { "exscan", exscan, 0 },
    { "split", split, 0 },
    { "split-in-three", split_in_three, 0 },
    { "dup", duplicate, 0 },
    { "cart", cartesian, 0 },
    { "cart-sub", rows, 0 },
};

static void measure(void (*run)(void), int is_rooted, char *sizes)
{
    char name[100];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (char *rest = sizes; is_tried_first && *rest != '\0';) {
        bytes = next_number(&rest);
        lay_out();
        lay_out_to_all();
        root = 0;
        run();
        /* It may last longer than a slot has left. */
        slots_done++;
    }
    if (run == rows)
        cartesian();
    while (*sizes != '\0') {
        bytes = next_number(&sizes);
        lay_out();
        lay_out_to_all();
        for (root = 0; root < size; root += size - 1) {
            begin();
            run();
            if (is_nonblocking)
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (is_rooted)
                snprintf(name, sizeof name, "%d ranks %d B root %d", size, bytes, root);
            else
                snprintf(name, sizeof name, "%d ranks %d B", size, bytes);
            end(name, comm);
            if (!is_rooted)
                break;
        }
    }
}

int main(int argc, char **argv)
{
    int world_rank, world_size, i;
    int count = sizeof operations / sizeof *operations;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    is_nonblocking = argc > 1 && argv[1][0] == 'i';
    is_tried_first = argc > 1 && argv[1][0] == '+';
    for (i = 0; i < count && strcmp(operations[i].name, argv[1] + is_nonblocking + is_tried_first) != 0;)
        i++;
    if (argc < 4 || i == count)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (argc > 4)
        least = atoi(argv[4]);
    out = calloc(1, 32 << 20);
    in = calloc(1, 32 << 20);
    for (char *ranks = argv[2]; *ranks != '\0';) {
        int number = next_number(&ranks), takes_part = number == 0 || world_rank < number;

        comm = MPI_COMM_WORLD;
        if (number > 0)
            MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, world_rank, &comm);
        if (takes_part)
            measure(operations[i].run, operations[i].is_rooted, argv[3]);
        if (takes_part && number > 0)
            MPI_Comm_free(&comm);
        /* The others wait for the last slot of those. */
        MPI_Allreduce(MPI_IN_PLACE, &slots_done, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
