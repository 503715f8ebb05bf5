/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: compile-args -fopenmp */
/* smpi: expect-pass */
/*
 * Hybrid programs run with one OpenMP thread a rank, the rank itself, where
 * OMP_NUM_THREADS does not ask for more.
 */
#include "../check.h"
#include <omp.h>

static int calls; /* a variable of the rank's own, changed in parallel loops */

int main(int argc, char **argv)
{
    double sum = 0, total = 0;
    int threads = 0, *block;

    check_begin(&argc, &argv);
    CHECK_INT(omp_get_max_threads(), 1);
#pragma omp parallel for reduction(+ : sum) private(block)
    for (int i = 0; i < 1000; i++) {
        block = malloc(sizeof *block);
        *block = i;
        sum += *block;
        free(block);
#pragma omp atomic
        calls++;
    }
#pragma omp parallel
    {
#pragma omp master
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp critical
        threads++;
    }
    CHECK_INT(threads, 1);
    CHECK_INT(calls, 1000);
    CHECK_INT((int)total, 3 * 499500);
    return check_end();
}
