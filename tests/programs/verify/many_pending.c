/* So many pending receives and sends, of interleaved and of dense memory, that looking at each for each would take minutes. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero */
/* smpi: expect-no-finding */
/* smpi: timeout 60 */
#include <mpi.h>

#define COUNT 20000

static int in[COUNT][2], out[3];
static MPI_Request requests[2 * COUNT];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype apart;
    MPI_Type_vector(2, 1, COUNT, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    for (int i = 0; i < COUNT; i++)
        MPI_Irecv(&in[0][0] + i, 1, apart, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < COUNT; i++)
        MPI_Isend(&out[i % 2], 2, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[COUNT + i]);
    MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&apart);
    MPI_Finalize();
    return 0;
}
