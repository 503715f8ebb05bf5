/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Scatter and MPI_Iscatter from every root, with and without MPI_IN_PLACE, on 1 to 9 ranks (MPI 5.0 sections 6.6, 6.12.4). */
#include "../check.h"

#define LARGEST 5000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 3, LARGEST};
    static int out[9 * LARGEST], in[LARGEST + 1];

    for (int c = 0; c < 4; c++)
        for (int root = 0; root < size; root += c < 3 ? 1 : 2)
            for (int variant = 0; variant < 4; variant++) {
                int nonblocking = variant & 1, in_place = (variant & 2) && rank == root;
                int count = counts[c], wrong = 0;
                MPI_Request request;

                memset(in, 0xff, sizeof in);
                for (int i = 0; i < size * count; i++)
                    out[i] = root * 1000000 + i;
                const void *from = rank == root ? out : NULL; /* significant at the root only */
                void *to = in_place ? MPI_IN_PLACE : (void *)in;
                if (nonblocking) {
                    MPI_Iscatter(from, count, MPI_INT, to, count, MPI_INT, root, comm, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else
                    MPI_Scatter(from, count, MPI_INT, to, count, MPI_INT, root, comm);
                for (int i = 0; i < count && !in_place; i++)
                    wrong += in[i] != root * 1000000 + rank * count + i;
                CHECK_INT(wrong, 0);
                CHECK_INT(in[count], -1);
            }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
