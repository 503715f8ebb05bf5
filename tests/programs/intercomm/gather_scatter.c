/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Gather(v) from and scatter(v) to the other side (MPI 5.0 sections 6.5, 6.6). */
#include "intercomm.h"

#define COUNT 3

static void run(int root_is_low, int root, int nonblocking)
{
    int argument = root_argument(root_is_low, root), wrong = 0;
    int out[5 * COUNT], in[5 * COUNT], counts[5], places[5];
    int first = is_low ? local_size : 0; /* world rank of the other side's first rank */
    MPI_Request request;

    /* Gather: every rank of the side without the root sends. */
    for (int i = 0; i < COUNT; i++)
        out[i] = check_rank * 100 + i;
    memset(in, 0xff, sizeof in);
    if (nonblocking) {
        MPI_Igather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, argument, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Gather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, argument, inter);
    for (int i = 0; i < 5 * COUNT; i++)
        wrong += in[i] != (argument == MPI_ROOT && i < remote_size * COUNT
                               ? (first + i / COUNT) * 100 + i % COUNT : -1);
    CHECK_INT(wrong, 0);

    /* Gatherv: rank r sends r % 3 elements; they are put in reverse order. */
    int at = 0;
    for (int r = remote_size - 1; r >= 0; r--) {
        counts[r] = r % 3;
        places[r] = at;
        at += counts[r];
    }
    if (nonblocking) {
        MPI_Igatherv(out, local_rank % 3, MPI_INT, in, counts, places, MPI_INT, argument, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Gatherv(out, local_rank % 3, MPI_INT, in, counts, places, MPI_INT, argument, inter);
    for (int r = 0; r < remote_size && argument == MPI_ROOT; r++)
        for (int i = 0; i < counts[r]; i++)
            CHECK_INT(in[places[r] + i], (first + r) * 100 + i);

    /* Scatter and scatterv: the root's data go to the other side. */
    for (int i = 0; i < 5 * COUNT; i++)
        out[i] = root * 1000 + i;
    memset(in, 0xff, sizeof in);
    if (nonblocking) {
        MPI_Iscatter(out, COUNT, MPI_INT, in, COUNT, MPI_INT, argument, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Scatter(out, COUNT, MPI_INT, in, COUNT, MPI_INT, argument, inter);
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(in[i], is_low == root_is_low ? -1 : root * 1000 + local_rank * COUNT + i);
    memset(in, 0xff, sizeof in);
    if (nonblocking) {
        MPI_Iscatterv(out, counts, places, MPI_INT, in, local_rank % 3, MPI_INT, argument, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Scatterv(out, counts, places, MPI_INT, in, local_rank % 3, MPI_INT, argument, inter);
    int place = 0;
    for (int r = local_size - 1; r > local_rank; r--)
        place += r % 3;
    for (int i = 0; i < local_rank % 3; i++)
        CHECK_INT(in[i], is_low == root_is_low ? -1 : root * 1000 + place + i);
}

static void test(void)
{
    int low_size = is_low ? local_size : remote_size;

    for (int root_is_low = 0; root_is_low < 2; root_is_low++)
        for (int root = 0; root < (root_is_low ? low_size : check_size - low_size); root++)
            for (int nonblocking = 0; nonblocking < 2; nonblocking++)
                run(root_is_low, root, nonblocking);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
