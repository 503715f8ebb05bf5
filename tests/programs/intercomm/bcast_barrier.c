/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Broadcast from one rank to the other side, with MPI_ROOT and MPI_PROC_NULL, and barriers, blocking and not (MPI 5.0 sections 6.2.2, 6.4).
 * MPICH 4.0.2 deviates: its MPI_Ibcast fails an assertion when the root is not rank 0. */
#include "intercomm.h"

#define COUNT 5000

static void test(void)
{
    static int data[COUNT];
    int low_size = is_low ? local_size : remote_size, high_size = check_size - low_size;

    for (int root_is_low = 0; root_is_low < 2; root_is_low++)
        for (int root = 0; root < (root_is_low ? low_size : high_size); root++)
            for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
                int argument = root_argument(root_is_low, root), wrong = 0;
                MPI_Request request;
                for (int i = 0; i < COUNT; i++)
                    data[i] = argument == MPI_ROOT ? root * 10 + i : -1;
                if (nonblocking) {
                    MPI_Ibcast(data, COUNT, MPI_INT, argument, inter, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    MPI_Ibarrier(inter, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else {
                    MPI_Bcast(data, COUNT, MPI_INT, argument, inter);
                    MPI_Barrier(inter);
                }
                for (int i = 0; i < COUNT; i++)
                    wrong += data[i] != (argument == MPI_PROC_NULL ? -1 : root * 10 + i);
                CHECK_INT(wrong, 0);
            }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
