/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Gather and MPI_Igather to every root, with and without MPI_IN_PLACE, on 1 to 9 ranks (MPI 5.0 sections 6.5, 6.12.3). */
#include "../check.h"

#define LARGEST 5000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 3, LARGEST};
    static int out[LARGEST], in[9 * LARGEST];

    for (int c = 0; c < 4; c++)
        for (int root = 0; root < size; root += c < 3 ? 1 : 2)
            for (int variant = 0; variant < 4; variant++) {
                int nonblocking = variant & 1, in_place = (variant & 2) && rank == root;
                int count = counts[c], wrong = 0;
                MPI_Request request;

                memset(in, 0xff, sizeof in);
                for (int i = 0; i < count; i++)
                    out[i] = rank * 10000 + i;
                if (in_place)
                    memcpy(in + rank * count, out, (size_t)count * sizeof *in);
                const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
                void *to = rank == root ? in : NULL; /* significant at the root only */
                if (nonblocking) {
                    MPI_Igather(from, count, MPI_INT, to, count, MPI_INT, root, comm, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else
                    MPI_Gather(from, count, MPI_INT, to, count, MPI_INT, root, comm);
                for (int i = 0; i < size * count && rank == root; i++)
                    wrong += in[i] != i / count * 10000 + i % count;
                CHECK_INT(wrong, 0);
                if (size * count < 9 * LARGEST)
                    CHECK_INT(in[size * count], -1);
            }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
