/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Reduce_scatter_block and its nonblocking form, with and without MPI_IN_PLACE, on 1 to 9 ranks (MPI 5.0 sections 6.10.1, 6.12.9). */
#include "../check.h"

#define LARGEST 5000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 3, LARGEST};
    static int out[9 * LARGEST], in[9 * LARGEST];

    for (int c = 0; c < 4; c++)
        for (int variant = 0; variant < 4; variant++) {
            int nonblocking = variant & 1, in_place = variant & 2, count = counts[c], wrong = 0;
            MPI_Request request;

            memset(in, 0xff, sizeof in);
            for (int i = 0; i < size * count; i++)
                (in_place ? in : out)[i] = rank + i;
            const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
            if (nonblocking) {
                MPI_Ireduce_scatter_block(from, in, count, MPI_INT, MPI_SUM, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Reduce_scatter_block(from, in, count, MPI_INT, MPI_SUM, comm);
            for (int i = 0; i < count; i++)
                wrong += in[i] != size * (rank * count + i) + size * (size - 1) / 2;
            CHECK_INT(wrong, 0);
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
