/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Scatterv and MPI_Iscatterv: every rank another count, places in reverse order with gaps (MPI 5.0 sections 6.6, 6.12.4). */
#include "../check.h"

#define SPACE 8000

static void test(MPI_Comm comm, int rank, int size)
{
    static int out[9 * SPACE], in[SPACE];
    static const int scales[] = {1, 2000};
    int counts[9], places[9];

    for (int root = 0; root < size; root++)
        for (int variant = 0; variant < 8; variant++) {
            int scale = scales[variant & 1], nonblocking = variant & 2;
            int in_place = (variant & 4) && rank == root, wrong = 0, at = 0;
            MPI_Request request;

            for (int r = size - 1; r >= 0; r--) {
                counts[r] = r % 4 * scale;
                places[r] = at;
                at += counts[r] + 3;
            }
            for (int r = 0; r < size; r++)
                for (int i = 0; i < counts[r]; i++)
                    out[places[r] + i] = root * 100000 + r * 10000 + i;
            memset(in, 0xff, sizeof in);
            void *to = in_place ? MPI_IN_PLACE : (void *)in;
            if (nonblocking) {
                MPI_Iscatterv(out, counts, places, MPI_INT, to, counts[rank], MPI_INT, root, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Scatterv(out, counts, places, MPI_INT, to, counts[rank], MPI_INT, root, comm);
            for (int i = 0; i < counts[rank] && !in_place; i++)
                wrong += in[i] != root * 100000 + rank * 10000 + i;
            CHECK_INT(wrong, 0);
            CHECK_INT(in[counts[rank]], -1);
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
