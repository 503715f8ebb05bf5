/* Memory of SMPI_SHARED_MALLOC is each rank's own in a verification, and is put back between executions: what one wrote
 * is not there in the next, and it can be given back in each. It was a false crash. */
/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    size_t ranges[] = {4096, 8192};
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *all = SMPI_SHARED_MALLOC(1 << 16), *part = SMPI_PARTIAL_SHARED_MALLOC(1 << 16, ranges, 1);
    assert(all && part && all[5] == 0 && part[1030] == 0);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(all[5] == 0 && part[1030] == 0);
        all[5] = part[1030] = first;
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(all[5] == first && part[1030] == first && first + second == 3);
    } else {
        all[5] = part[1030] = 10 * rank;
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    SMPI_SHARED_FREE(all);
    SMPI_SHARED_FREE(part);
    MPI_Finalize();
    return 0;
}
