/* Three lines send integers to a receive of doubles: whatever it takes does not match, in the same way. A line that sends
 * characters does not match in another way. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/type-mismatch */
/* smpi: expect-faults mpi/type-mismatch=2 */
/* smpi: expect-guises mpi/type-mismatch=2 */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, numbers[2] = {0};
    double value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 4; i++)
            MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send("7 bytes", 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
