/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Reduce and MPI_Ireduce to every root, with and without MPI_IN_PLACE, short and long vectors (MPI 5.0 sections 6.9.1, 6.12.7).
 * MPICH 4.0.2 deviates: it crashes with MPI_IN_PLACE for long vectors, 5 ranks and root 4. */
#include "../check.h"

#define LARGEST 30000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 4, 1001, LARGEST};
    static long out[LARGEST], in[LARGEST];

    for (int c = 0; c < 5; c++)
        for (int root = 0; root < size; root += c < 3 ? 1 : 4)
            for (int variant = 0; variant < 4; variant++) {
                int nonblocking = variant & 1, in_place = (variant & 2) && rank == root;
                int count = counts[c], wrong = 0;
                MPI_Request request;

                for (int i = 0; i < count; i++) {
                    out[i] = (rank + 1) * (i + 1L);
                    in[i] = in_place ? out[i] : -1;
                }
                const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
                void *to = rank == root ? in : NULL;
                if (nonblocking) {
                    MPI_Ireduce(from, to, count, MPI_LONG, MPI_SUM, root, comm, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else
                    MPI_Reduce(from, to, count, MPI_LONG, MPI_SUM, root, comm);
                for (int i = 0; i < count; i++) {
                    wrong += rank == root && in[i] != size * (size + 1) / 2 * (i + 1L);
                    wrong += out[i] != (rank + 1) * (i + 1L); /* what was sent stays */
                }
                CHECK_INT(wrong, 0);
            }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
