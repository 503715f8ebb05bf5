/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-executions 2 */
/* smpi: expect-stderr-contains stopped at MPI_T_category_changed */
/* A function that this library does not have yet is no error of the program, whatever its error handlers and its other
 * ranks do: ranks end there, what the others wait for then says nothing, and the verdict is that not all was explored. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    int stamp;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_T_category_changed(&stamp);
    MPI_Finalize();
    return 3;
}
