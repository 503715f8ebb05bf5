/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Allgather and MPI_Iallgather, with and without MPI_IN_PLACE, on 1 to 9 ranks (MPI 5.0 sections 6.7, 6.12.5). */
#include "../check.h"

#define LARGEST 20000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 7, 1000, LARGEST};
    static int out[LARGEST], in[9 * LARGEST];

    for (int c = 0; c < 5; c++)
        for (int variant = 0; variant < 4; variant++) {
            int nonblocking = variant & 1, in_place = variant & 2, count = counts[c], wrong = 0;
            MPI_Request request;

            memset(in, 0xff, sizeof in);
            for (int i = 0; i < count; i++)
                out[i] = rank * 100000 + i;
            if (in_place)
                memcpy(in + rank * count, out, (size_t)count * sizeof *in);
            const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
            if (nonblocking) {
                MPI_Iallgather(from, count, MPI_INT, in, count, MPI_INT, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Allgather(from, count, MPI_INT, in, count, MPI_INT, comm);
            for (int i = 0; i < size * count; i++)
                wrong += in[i] != i / count * 100000 + i % count;
            CHECK_INT(wrong, 0);
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
