/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Reduce_scatter and MPI_Ireduce_scatter with counts that differ by rank, some zero (MPI 5.0 sections 6.10.2, 6.12.10). */
#include "../check.h"

#define SPACE 40000

static void test(MPI_Comm comm, int rank, int size)
{
    static int out[SPACE], in[SPACE];
    static const int scales[] = {1, 1000};
    int counts[9];

    for (int variant = 0; variant < 8; variant++) {
        int scale = scales[variant & 1], nonblocking = variant & 2, in_place = variant & 4;
        int wrong = 0, total = 0, first = 0;
        MPI_Request request;

        for (int r = 0; r < size; r++) {
            counts[r] = (r + 3) % 4 * scale;
            if (r < rank)
                first += counts[r];
            total += counts[r];
        }
        memset(in, 0xff, sizeof in);
        for (int i = 0; i < total; i++)
            (in_place ? in : out)[i] = rank + i;
        const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
        if (nonblocking) {
            MPI_Ireduce_scatter(from, in, counts, MPI_INT, MPI_SUM, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else
            MPI_Reduce_scatter(from, in, counts, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < counts[rank]; i++)
            wrong += in[i] != size * (first + i) + size * (size - 1) / 2;
        CHECK_INT(wrong, 0);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
