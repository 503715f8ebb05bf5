/* MC_random on two ranks: every combination of their values, 3 times 2. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* smpi: reductions none=36 dpor=6 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value = MC_random(1, 3 - rank), sum;
    MC_assert(MC_is_active());
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MC_assert(sum <= 5);
    MPI_Finalize();
    return 0;
}
