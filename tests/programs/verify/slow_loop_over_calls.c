/* A rank that computes for long, but not between two MPI calls, whatever these calls do: no call timeout. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 1 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>

static volatile int counter;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int call = 0; rank == 1 && call < 2000; call++) {
        for (int i = 0; i < 1000000; i++)
            counter++;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    MPI_Finalize();
    return 0;
}
