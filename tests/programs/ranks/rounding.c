// smpi: ranks 4
// smpi: compile-args -frounding-math -Wl,--no-as-needed,-lm
// smpi: expect-stdout 0: 2 3 kept
// smpi: expect-stdout 1: 2 2 kept
// smpi: expect-stdout 2: 3 3 kept
// smpi: expect-stdout 3: 2 2 kept
/* The rounding mode belongs to a rank. */
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    static volatile double low = 2.4, high = 2.6;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fesetround(modes[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: %.0f %.0f %s\n", rank, rint(low), rint(high), fegetround() == modes[rank] ? "kept" : "lost");
    fesetround(FE_TONEAREST);
    MPI_Finalize();
    return 0;
}
