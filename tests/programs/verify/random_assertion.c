/* Only one combination of two values is wrong; verification meets it. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-finding assertion */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int value = MC_random(1, 3), sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MC_assert(sum != 6);
    MPI_Finalize();
    return 0;
}
