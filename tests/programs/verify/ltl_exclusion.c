/* Two ranks that both want to be alone, and ask nobody: what each of them shows is seen in every order with what the
 * other one does, though they exchange no message meanwhile. */
/* smpi: ranks 2 */
/* smpi: verify --ltl=G!(cs0&&cs1) */
/* smpi: expect-finding liveness */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int cs;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MC_proposition(rank == 0 ? "cs0" : "cs1", &cs);
    cs = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cs = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
