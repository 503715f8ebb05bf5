/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: compile-args -fopenmp */
/* smpi: env OMP_NUM_THREADS=2 */
/* smpi: timeout 20 */
/* smpi: expect-pass */
/*
 * The usual hybrid pattern: the master of a parallel region calls MPI, and
 * the other threads wait for it at a barrier. Each rank has a team of its
 * own, although another rank's region begins before this one's is over.
 */
#include "../check.h"
#include <omp.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int rank, size, threads = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size;
    for (int round = 0; round < 10; round++) {
        int got = -1, seen = 0, sum = 0;
#pragma omp parallel
        {
#pragma omp for reduction(+ : sum)
            for (int i = 0; i < 1000; i++)
                sum += i;
#pragma omp master
            {
                threads = omp_get_num_threads();
                MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
            }
#pragma omp barrier
#pragma omp atomic
            seen += got == left;
        }
        CHECK_INT(threads, 2);
        CHECK_INT(seen, 2);
        CHECK_INT(sum, 499500);
    }
    return check_end();
}
