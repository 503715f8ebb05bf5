/* More executions than are tried: four workers send twice, and rank 0 expects that none comes again before all have
   come once. The third message that is taken can decide already. */
/* smpi: ranks 5 */
/* smpi: verify --buffering infinite --max-executions 50 --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-explanation inevitable since rank 0's 2nd MPI_Recv at explain_many.c:21 took the message that rank 1 sent at explain_many.c:27, and not the message that rank 2 sent at explain_many.c:27: all 90 continuations fail */
/* smpi: expect-explanation takes the message that rank 1 sent at explain_many.c:27: all 90 executions that do */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int seen[8] = {0}, early = 0;
        for (int i = 0; i < 2 * (size - 1); i++) {
            MPI_Status status;
            int round;
            MPI_Recv(&round, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            early |= i < size - 1 && seen[status.MPI_SOURCE]++;
        }
        assert(!early);
    } else {
        for (int round = 0; round < 2; round++)
            MPI_Send(&round, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
