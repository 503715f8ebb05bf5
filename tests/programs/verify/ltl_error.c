/* A property that holds says nothing of errors, and a rank that fails is named, so that nobody takes the program to be
 * right. */
/* smpi: ranks 2 */
/* smpi: verify --ltl=G!late */
/* smpi: passes liveness */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-stderr-contains no violation found in 2 states; exploration complete */
/* smpi: expect-stderr-contains a rank fails in some execution, which is no violation: look for errors */
#include <mpi.h>
#include <smpi/smpi.h>
#include <assert.h>
int main(int argc, char **argv)
{
    static int late;
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MC_proposition("late", &late);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(value == 1);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
