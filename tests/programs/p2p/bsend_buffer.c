/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The attached buffer holds what MPI_Pack_size and MPI_BSEND_OVERHEAD say it holds; sends beyond that are errors
 * of class MPI_ERR_BUFFER; MPI_Buffer_detach waits until all is out (MPI 5.0 section 3.6). */
#include "../check.h"

#define MESSAGES 4
#define COUNT 1000

int main(int argc, char **argv)
{
    int data[COUNT], packed, size;
    void *detached = NULL;

    check_begin(&argc, &argv);
    MPI_Pack_size(COUNT, MPI_INT, MPI_COMM_WORLD, &packed);
    int capacity = MESSAGES * (packed + MPI_BSEND_OVERHEAD);
    char *space = malloc((size_t)capacity);

    for (int round = 0; round < 2; round++) {
        if (check_rank == 0) {
            MPI_Buffer_attach(space, capacity);
            for (int message = 0; message < MESSAGES; message++) {
                for (int i = 0; i < COUNT; i++)
                    data[i] = round * 100000 + message * COUNT + i;
                MPI_Bsend(data, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD);
            }
            MPI_Buffer_detach(&detached, &size);
            CHECK(detached == space);
            CHECK_INT(size, capacity);
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            for (int message = 0; message < MESSAGES; message++) {
                int wrong = 0;
                MPI_Recv(data, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 0; i < COUNT; i++)
                    wrong += data[i] != round * 100000 + message * COUNT + i;
                CHECK_INT(wrong, 0);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    if (check_rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Buffer_attach(space, MPI_BSEND_OVERHEAD + 64);
        CHECK_ERROR(MPI_Bsend(data, COUNT, MPI_INT, 1, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        MPI_Buffer_detach(&detached, &size);
    }
    free(space);
    return check_end();
}
