/* Memory that was freed is in use again, and nothing is read of what is freed. */
/* smpi: passes memory/freed */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 1; round < 10; round++) {
        int *values = calloc(round, sizeof(int));
        MPI_Bcast(values, round, MPI_INT, 0, MPI_COMM_WORLD);
        values = realloc(values, 2 * round * sizeof(int));
        for (int i = round; i < 2 * round; i++)
            values[i] = i;
        MPI_Bcast(values + round, round, MPI_INT, 1, MPI_COMM_WORLD);
        free(values);
        MPI_Bcast(values, 0, MPI_INT, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
