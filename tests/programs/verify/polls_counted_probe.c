/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Rank 0 probes for two messages in turn, counts how often, and relies on a number that it has not reached in any
 * execution that is tried. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, found[2] = {0, 0}, looks = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        while (!found[0] || !found[1]) {
            for (int i = 0; i < 2; i++)
                if (!found[i])
                    MPI_Iprobe(i + 1, 0, MPI_COMM_WORLD, &found[i], MPI_STATUS_IGNORE);
            looks++;
        }
        assert(looks < 10);
        for (int i = 0; i < 2; i++)
            MPI_Recv(&value, 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
