/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Each collective operation in its six forms: blocking, nonblocking and persistent, with int and with MPI_Count
 * arguments (MPI 5.0 chapter 6). The buffers are the same for all: element i that rank r sends is 100 r + i, and what
 * is received is compared element by element, also where nothing may be written. */
#include "../forms.h"

enum { RANKS = 3, ELEMENTS = 12, UNTOUCHED = -7, ROOT = 1 };

static int out[ELEMENTS], in[ELEMENTS];
static int counts[RANKS] = {2, 1, 3}, places[RANKS] = {4, 0, 8};
static MPI_Count large_counts[RANKS] = {2, 1, 3};
static MPI_Aint large_places[RANKS] = {4, 0, 8};
/* What this rank exchanges with each: with rank i, i + own rank + 1 elements at place 4 i. */
static int mutual[RANKS], starts[RANKS], offsets[RANKS];
static MPI_Count large_mutual[RANKS];
static MPI_Aint large_starts[RANKS], large_offsets[RANKS];
static MPI_Datatype types[RANKS] = {MPI_INT, MPI_INT, MPI_INT};

EVERY_FORM(Bcast, Ibcast, (in, 4, MPI_INT, ROOT), (in, 4, MPI_INT, ROOT))
EVERY_FORM(Gather, Igather, (out, 2, MPI_INT, in, 2, MPI_INT, ROOT), (out, 2, MPI_INT, in, 2, MPI_INT, ROOT))
EVERY_FORM(Gatherv, Igatherv, (out, counts[check_rank], MPI_INT, in, counts, places, MPI_INT, ROOT),
           (out, counts[check_rank], MPI_INT, in, large_counts, large_places, MPI_INT, ROOT))
EVERY_FORM(Scatter, Iscatter, (out, 2, MPI_INT, in, 2, MPI_INT, ROOT), (out, 2, MPI_INT, in, 2, MPI_INT, ROOT))
EVERY_FORM(Scatterv, Iscatterv, (out, counts, places, MPI_INT, in, counts[check_rank], MPI_INT, ROOT),
           (out, large_counts, large_places, MPI_INT, in, counts[check_rank], MPI_INT, ROOT))
EVERY_FORM(Allgather, Iallgather, (out, 2, MPI_INT, in, 2, MPI_INT), (out, 2, MPI_INT, in, 2, MPI_INT))
EVERY_FORM(Allgatherv, Iallgatherv, (out, counts[check_rank], MPI_INT, in, counts, places, MPI_INT),
           (out, counts[check_rank], MPI_INT, in, large_counts, large_places, MPI_INT))
EVERY_FORM(Alltoall, Ialltoall, (out, 2, MPI_INT, in, 2, MPI_INT), (out, 2, MPI_INT, in, 2, MPI_INT))
EVERY_FORM(Alltoallv, Ialltoallv, (out, mutual, starts, MPI_INT, in, mutual, starts, MPI_INT),
           (out, large_mutual, large_starts, MPI_INT, in, large_mutual, large_starts, MPI_INT))
EVERY_FORM(Alltoallw, Ialltoallw, (out, mutual, offsets, types, in, mutual, offsets, types),
           (out, large_mutual, large_offsets, types, in, large_mutual, large_offsets, types))
EVERY_FORM(Reduce, Ireduce, (out, in, 4, MPI_INT, MPI_SUM, ROOT), (out, in, 4, MPI_INT, MPI_SUM, ROOT))
EVERY_FORM(Allreduce, Iallreduce, (out, in, 4, MPI_INT, MPI_SUM), (out, in, 4, MPI_INT, MPI_SUM))
EVERY_FORM(Reduce_scatter, Ireduce_scatter, (out, in, counts, MPI_INT, MPI_SUM), (out, in, large_counts, MPI_INT, MPI_SUM))
EVERY_FORM(Reduce_scatter_block, Ireduce_scatter_block, (out, in, 2, MPI_INT, MPI_SUM), (out, in, 2, MPI_INT, MPI_SUM))
EVERY_FORM(Scan, Iscan, (out, in, 4, MPI_INT, MPI_SUM), (out, in, 4, MPI_INT, MPI_SUM))
EVERY_FORM(Exscan, Iexscan, (out, in, 4, MPI_INT, MPI_SUM), (out, in, 4, MPI_INT, MPI_SUM))

/* The sum over ranks first to last of their element i. */
static int sum(int first, int last, int i)
{
    int total = 0;

    for (int rank = first; rank <= last; rank++)
        total += 100 * rank + i;
    return total;
}

static int bcast(int i) { return i < 4 ? (ROOT + 1) * 1000 + i : UNTOUCHED; }
static int allgather(int i) { return i < 2 * RANKS ? 100 * (i / 2) + i % 2 : UNTOUCHED; }
static int gather(int i) { return check_rank == ROOT ? allgather(i) : UNTOUCHED; }
static int scatter(int i) { return i < 2 ? 100 * ROOT + 2 * check_rank + i : UNTOUCHED; }
static int scatterv(int i) { return i < counts[check_rank] ? 100 * ROOT + places[check_rank] + i : UNTOUCHED; }
static int alltoall(int i) { return i < 2 * RANKS ? 100 * (i / 2) + 2 * check_rank + i % 2 : UNTOUCHED; }
static int allreduce(int i) { return i < 4 ? sum(0, RANKS - 1, i) : UNTOUCHED; }
static int reduce(int i) { return check_rank == ROOT ? allreduce(i) : UNTOUCHED; }
static int scan(int i) { return i < 4 ? sum(0, check_rank, i) : UNTOUCHED; }
static int exscan(int i) { return i < 4 && check_rank > 0 ? sum(0, check_rank - 1, i) : UNTOUCHED; }
static int reduce_block(int i) { return i < 2 ? sum(0, RANKS - 1, 2 * check_rank + i) : UNTOUCHED; }

static int allgatherv(int i)
{
    for (int rank = 0; rank < RANKS; rank++)
        if (i >= places[rank] && i < places[rank] + counts[rank])
            return 100 * rank + i - places[rank];
    return UNTOUCHED;
}

static int gatherv(int i) { return check_rank == ROOT ? allgatherv(i) : UNTOUCHED; }

static int alltoallv(int i)
{
    int peer = i / 4, at = i % 4;

    return at < mutual[peer] ? 100 * peer + 4 * check_rank + at : UNTOUCHED;
}

static int reduce_parts(int i)
{
    int before = check_rank == 0 ? 0 : check_rank == 1 ? 2 : 3;

    return i < counts[check_rank] ? sum(0, RANKS - 1, before + i) : UNTOUCHED;
}

static const struct operation operations[] = {
    OPERATION(Bcast, bcast),
    OPERATION(Gather, gather),
    OPERATION(Gatherv, gatherv),
    OPERATION(Scatter, scatter),
    OPERATION(Scatterv, scatterv),
    OPERATION(Allgather, allgather),
    OPERATION(Allgatherv, allgatherv),
    OPERATION(Alltoall, alltoall),
    OPERATION(Alltoallv, alltoallv),
    OPERATION(Alltoallw, alltoallv),
    OPERATION(Reduce, reduce),
    OPERATION(Allreduce, allreduce),
    OPERATION(Reduce_scatter, reduce_parts),
    OPERATION(Reduce_scatter_block, reduce_block),
    OPERATION(Scan, scan),
    OPERATION(Exscan, exscan),
};

static void prepare(const struct operation *operation)
{
    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = 100 * check_rank + i;
        in[i] = UNTOUCHED;
        if (operation->run == do_Bcast && check_rank == ROOT)
            in[i] = bcast(i);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    forms_comm = MPI_COMM_WORLD;
    for (int i = 0; i < RANKS; i++) {
        large_mutual[i] = mutual[i] = i + check_rank + 1 > 4 ? 4 : i + check_rank + 1;
        large_starts[i] = starts[i] = 4 * i;
        large_offsets[i] = offsets[i] = 4 * i * (int)sizeof(int);
    }
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (enum form form = BLOCKING; form < FORMS; form++) {
            prepare(&operations[k]);
            operations[k].run(form);
            for (int i = 0; i < ELEMENTS; i++)
                if (in[i] != operations[k].expected(i)) {
                    printf("%s, %s: element %d\n", operations[k].name, form_names[form], i);
                    CHECK_INT(in[i], operations[k].expected(i));
                }
        }
    return check_end();
}
