/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Bcast and MPI_Ibcast from every root, of nothing, little and much, on 1 to 9 ranks (MPI 5.0 sections 6.4, 6.12.2). */
#include "../check.h"

#define LARGEST 70000

static void test(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = {0, 1, 5, 3001, LARGEST};
    static int data[LARGEST];

    for (int c = 0; c < 5; c++)
        for (int root = 0; root < size; root += c < 3 ? 1 : 3)
            for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
                int wrong = 0;
                for (int i = 0; i < counts[c]; i++)
                    data[i] = rank == root ? root * 1000 + i : -1;
                if (nonblocking) {
                    MPI_Request request;
                    MPI_Ibcast(data, counts[c], MPI_INT, root, comm, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else
                    MPI_Bcast(data, counts[c], MPI_INT, root, comm);
                for (int i = 0; i < counts[c]; i++)
                    wrong += data[i] != root * 1000 + i;
                CHECK_INT(wrong, 0);
            }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
