/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains stopped at MPI_T_category_changed */
/* Only one order of two messages leads to a function that this library does not have; the error of the other order is
 * found all the same. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, first = 0, second = 0;
    int stamp;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first == 1) {
            MPI_T_category_changed(&stamp);
        }
        assert(first == 1);
        MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
