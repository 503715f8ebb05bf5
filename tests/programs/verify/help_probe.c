/* A blocking probe of any source decides; the receive behind it names what the probe has found. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help would help: with the sources named at help_probe.c:17 (rank 0: 1, 2): no error in 2 executions; complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Status status;
            MPI_Message message;
            MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(&from[i], 1, MPI_INT, &message, &status);
        }
        assert(from[0] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
