/* smpi: ranks 2 */
/* smpi: args -100000 */
/* smpi: expect-finding memory/freed */
/* smpi: expect-stderr-contains MPI_Gatherv */
/* What a displacement that has overflowed leads to: memory of the rank, which belongs to nothing. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, counts[2] = {8, 8}, displs[2] = {0, argc > 1 ? atoi(argv[1]) : 8};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char mine[8] = "abcdefg", *all = malloc(64);
    MPI_Gatherv(mine, 8, MPI_CHAR, all, counts, displs, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(all);
    MPI_Finalize();
    return 0;
}
