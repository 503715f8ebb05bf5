/* smpi: ranks 3 */
/* smpi: compile-args -Wl,--no-as-needed -lm */
/* smpi: shuffled */
/* smpi: stdout-order exact */
/* smpi: expect-stdout rank 0: divided 1, invalid 0 */
/* smpi: expect-stdout rank 1: divided 0, invalid 1 */
/* smpi: expect-stdout rank 2: divided 0, invalid 0 */
/* The flags of floating-point exceptions are the rank's own (C11 7.6.2). */
#include <fenv.h>
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int rank;
    volatile double zero = 0.0, result;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        result = 1.0 / zero;
    if (rank == 1)
        result = zero / zero;
    (void)result;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: divided %d, invalid %d\n", rank, !!fetestexcept(FE_DIVBYZERO), !!fetestexcept(FE_INVALID));
    MPI_Finalize();
    return 0;
}
