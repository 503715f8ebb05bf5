/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Scan and MPI_Iscan give every rank the reduction up to and including itself (MPI 5.0 sections 6.11.1, 6.12.11). */
#include "../check.h"

#define LARGEST 20000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 6, LARGEST};
    static int out[LARGEST], in[LARGEST];

    (void)size;
    for (int c = 0; c < 4; c++)
        for (int variant = 0; variant < 4; variant++) {
            int nonblocking = variant & 1, in_place = variant & 2, count = counts[c], wrong = 0;
            MPI_Request request;

            for (int i = 0; i < count; i++) {
                out[i] = rank + i;
                in[i] = in_place ? out[i] : -1;
            }
            const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
            if (nonblocking) {
                MPI_Iscan(from, in, count, MPI_INT, MPI_SUM, comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Scan(from, in, count, MPI_INT, MPI_SUM, comm);
            for (int i = 0; i < count; i++)
                wrong += in[i] != rank * (rank + 1) / 2 + (rank + 1) * i;
            CHECK_INT(wrong, 0);
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
