/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Reductions over an intercommunicator: each side gets the result of the other side's data (MPI 5.0 sections 6.9.1, 6.9.6, 6.10). */
#include "intercomm.h"

#define COUNT 60 /* can be divided among 1 to 5 ranks */

static void run(int nonblocking)
{
    int out[COUNT], in[COUNT], counts[5], low_size = is_low ? local_size : remote_size;
    int first = is_low ? local_size : 0; /* the other side's ranks in the world */
    int sum = remote_size * first + remote_size * (remote_size - 1) / 2;
    MPI_Request request;

    for (int i = 0; i < COUNT; i++)
        out[i] = check_rank + i;
    if (nonblocking) {
        MPI_Iallreduce(out, in, COUNT, MPI_INT, MPI_SUM, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(in[i], sum + remote_size * i);

    for (int root_is_low = 0; root_is_low < 2; root_is_low++)
        for (int root = 0; root < (root_is_low ? low_size : check_size - low_size); root++) {
            int argument = root_argument(root_is_low, root);
            memset(in, 0xff, sizeof in);
            if (nonblocking) {
                MPI_Ireduce(out, in, COUNT, MPI_INT, MPI_SUM, argument, inter, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Reduce(out, in, COUNT, MPI_INT, MPI_SUM, argument, inter);
            for (int i = 0; i < COUNT; i++)
                CHECK_INT(in[i], argument == MPI_ROOT ? sum + remote_size * i : -1);
        }

    /* Both sides give vectors of the same length; each rank gets its share of the other side's sum. */
    int share = COUNT / local_size;
    if (nonblocking) {
        MPI_Ireduce_scatter_block(out, in, share, MPI_INT, MPI_SUM, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Reduce_scatter_block(out, in, share, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < share; i++)
        CHECK_INT(in[i], sum + remote_size * (local_rank * share + i));

    /* The last rank of each side gets most. */
    for (int r = 0; r < local_size; r++)
        counts[r] = r < local_size - 1 ? r + 1 : COUNT - r * (r + 1) / 2;
    if (nonblocking) {
        MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < counts[local_rank]; i++)
        CHECK_INT(in[i], sum + remote_size * (local_rank * (local_rank + 1) / 2 + i));
}

static void test(void)
{
    run(0);
    run(1);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
