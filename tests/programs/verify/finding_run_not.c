/* No findings about how a run ends: rank 1 computes with what it got, ends with 0, and every rank calls MPI_Finalize. */
/* smpi: ranks 3 */
/* smpi: passes exit-code crash assertion mpi/finalize-missing */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from[2], places[3] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            places[from[i]]++;
        }
        assert(places[1] == 1 && places[2] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    exit(0);
}
