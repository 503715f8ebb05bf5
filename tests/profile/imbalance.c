/* Rank 3 computes for twice as long as the others, which wait for it in MPI_Allreduce. */
#include <mpi.h>
#include <smpi/smpi.h>
int main(int argc, char **argv) {
    int rank, size;
    double own = 1, sum;
    char out[1000] = {0}, in[1000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 10; step++) {
        smpi_execute_flops(rank == 3 ? 2e7 : 1e7);
        int right = (rank + 1) % size, left = (rank + size - 1) % size;
        MPI_Sendrecv(out, 1000, MPI_CHAR, right, 0, in, 1000, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
