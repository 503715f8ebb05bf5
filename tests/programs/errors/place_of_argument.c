/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains in main ( */
/* smpi: expect-stderr-contains place_of_argument.c:16) */
/* An error that ends the run says where in the program the call was. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
