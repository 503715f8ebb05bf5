/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Alltoall and MPI_Ialltoall, with and without MPI_IN_PLACE, on 1 to 9 ranks (MPI 5.0 sections 6.8, 6.12.6). */
#include "../check.h"

#define LARGEST 10000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 6, 500, LARGEST};
    static int out[9 * LARGEST], in[9 * LARGEST];

    for (int c = 0; c < 5; c++)
        for (int variant = 0; variant < 4; variant++) {
            int nonblocking = variant & 1, in_place = variant & 2, count = counts[c], wrong = 0;
            MPI_Request request;
            const void *from = in_place ? MPI_IN_PLACE : (const void *)out;

            for (int i = 0; i < size * count; i++)
                out[i] = rank * 1000000 + i;
            memset(in, 0xff, sizeof in);
            if (in_place)
                memcpy(in, out, (size_t)(size * count) * sizeof *in);
            if (nonblocking) {
                MPI_Ialltoall(from, count, MPI_INT, in, count, MPI_INT, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Alltoall(from, count, MPI_INT, in, count, MPI_INT, comm);
            for (int i = 0; i < size * count; i++)
                wrong += in[i] != i / count * 1000000 + rank * count + i % count;
            CHECK_INT(wrong, 0);
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
