/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Gatherv and MPI_Igatherv: every rank another count, places in reverse order with gaps (MPI 5.0 sections 6.5, 6.12.3). */
#include "../check.h"

#define SPACE 8000

/* Rank r sends r % 4 * scale elements; some send nothing. */
static void test(MPI_Comm comm, int rank, int size)
{
    static int out[SPACE], in[9 * SPACE];
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
                at += counts[r] + 1; /* a gap of one */
            }
            memset(in, 0xff, sizeof in);
            for (int i = 0; i < counts[rank]; i++)
                out[i] = rank * 10000 + i;
            if (in_place)
                memcpy(in + places[rank], out, (size_t)counts[rank] * sizeof *in);
            const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
            if (nonblocking) {
                MPI_Igatherv(from, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Gatherv(from, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, comm);
            for (int r = 0; r < size && rank == root; r++) {
                for (int i = 0; i < counts[r]; i++)
                    wrong += in[places[r] + i] != r * 10000 + i;
                wrong += in[places[r] + counts[r]] != -1;
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
