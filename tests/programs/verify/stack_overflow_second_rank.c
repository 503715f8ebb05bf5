/* Below the stack of a rank lies what belongs to the rank before it. A stack that ends there is no access to it. */
/* smpi: ranks 2 */
/* smpi: verify --stack-size=256KiB */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains crash: stack overflow */
/* smpi: compile-args -O0 -g */
#include <mpi.h>

static int down(int depth) {
    volatile char frame[1000];
    frame[0] = (char)depth;
    return down(depth + 1) + frame[0];
}

int main(int argc, char **argv) {
    int rank, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        sum = down(0);
    MPI_Finalize();
    return sum;
}
