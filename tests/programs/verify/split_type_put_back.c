/* smpi: ranks 5 */
/* smpi: compile-args -g -O0 */
/* smpi: verify */
/* smpi: expect-executions 24 */
/* smpi: expect-no-finding */
/* Ranks wait in MPI_Comm_split_type of a communicator whose members are no range, while messages from any source are
 * taken in all orders: what they hold there is put back each time, and not given up more than once. */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    static const int keys[] = {9, 7, 4, -7, -2};
    int rank, size, x;
    MPI_Comm shuffled, part;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, keys[rank], &shuffled);
    for (int i = 1; rank == 1 && i < size; i++)
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 1)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Comm_split_type(shuffled, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    MPI_Comm_free(&part);
    MPI_Comm_free(&shuffled);
    MPI_Finalize();
    return 0;
}
