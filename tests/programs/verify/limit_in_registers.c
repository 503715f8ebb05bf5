/* The same where all that changes is in a register, of general use or of vectors. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 0.3 --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: compile-args -O2 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (unsigned long i = 0; i < 5000000000ul; i++)
            __asm__ volatile("" : : : "memory");
    } else {
        while (sum < 5e9) {
            sum += 1;
            __asm__ volatile("" : "+x"(sum) : : "memory");
        }
    }
    MPI_Finalize();
    return 0;
}
