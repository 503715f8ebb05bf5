/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Allreduce and MPI_Iallreduce, with and without MPI_IN_PLACE, short and long vectors, all ranks the same bits (MPI 5.0 sections 6.9.6, 6.12.8). */
#include "../check.h"

#define LARGEST 30000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 4, 1001, LARGEST};
    static double out[LARGEST], in[LARGEST], at_root[LARGEST];

    for (int c = 0; c < 5; c++)
        for (int variant = 0; variant < 4; variant++) {
            int nonblocking = variant & 1, in_place = variant & 2, count = counts[c], wrong = 0;
            MPI_Request request;

            for (int i = 0; i < count; i++) {
                out[i] = (rank + 1) * 0.5 * i;
                in[i] = in_place ? out[i] : -1;
            }
            const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
            if (nonblocking) {
                MPI_Iallreduce(from, in, count, MPI_DOUBLE, MPI_SUM, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Allreduce(from, in, count, MPI_DOUBLE, MPI_SUM, comm);
            for (int i = 0; i < count; i++)
                wrong += in[i] != size * (size + 1) / 2 * 0.5 * i;
            CHECK_INT(wrong, 0);
        }

    /* Numbers whose sum depends on the order: still all ranks must get the same. */
    for (int i = 0; i < 100; i++)
        out[i] = 1.0 / (1 + rank * 7 + i);
    MPI_Allreduce(out, in, 100, MPI_DOUBLE, MPI_SUM, comm);
    memcpy(at_root, in, sizeof at_root);
    MPI_Bcast(at_root, 100, MPI_DOUBLE, 0, comm);
    CHECK(memcmp(at_root, in, 100 * sizeof *in) == 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
