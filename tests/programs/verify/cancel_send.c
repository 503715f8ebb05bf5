/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=16 infinite=16 */
/* A send of any mode that is cancelled delivers its message or not, and tells which (MPI 5.0 section 3.8.4); four of them, one after
 * the other. Nothing of a cancelled message is seen, and the room in the attached buffer is given back. */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

#define KINDS 4

int main(int argc, char **argv)
{
    int rank, kind, flag, value, size;
    MPI_Request request;
    MPI_Status status;
    char *buffer;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &size);
    size += MPI_BSEND_OVERHEAD;
    buffer = malloc(size);
    MPI_Buffer_attach(buffer, size);
    for (kind = 0; kind < KINDS; kind++) {
        if (rank == 0) {
            value = 10 + kind;
            switch (kind) {
            case 0: MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); break;
            case 1: MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); break;
            case 2: MPI_Ibsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); break;
            default:
                MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
                MPI_Start(&request);
            }
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &flag);
            value = -1;
            if (flag) {
                MPI_Bsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            }
            if (request != MPI_REQUEST_NULL)
                MPI_Request_free(&request);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(value == -1 || value == 10 + kind);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
    MPI_Finalize();
    return 0;
}
