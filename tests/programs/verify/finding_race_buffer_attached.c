/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains the buffer that is attached for sends in buffered mode */
/* smpi: expect-stderr-contains finding_race_buffer_attached.c:20 */
/* A buffer for sends in buffered mode is freed before it is detached. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x = 1, size;
    char *room = malloc(2000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(room, 2000);
    MPI_Bsend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        free(room);
    MPI_Buffer_detach(&room, &size);
    MPI_Finalize();
    return 0;
}
