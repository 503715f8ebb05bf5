/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --keep-going --buffering infinite */
/* smpi: expect-finding mpi/type-mismatch */
/* smpi: expect-stderr-contains rank 0: MPI_Send at place_of_sent_type.c:16 in main: sent here */
/* smpi: expect-stderr-contains rank 1: MPI_Recv at place_of_sent_type.c:18 in main: received here */
/* A message of another type than its receive, whose sender has long gone on: both lines are told. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(x, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
