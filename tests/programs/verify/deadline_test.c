/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=3 infinite=3 */
/* smpi: reductions none=10 dpor=5 */
/* A rank tests until a deadline: the message is there at once, before the deadline, or not. What is printed may contain times. */
#include <mpi.h>
#include <assert.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double start = MPI_Wtime();
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        do
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (!flag && MPI_Wtime() - start < 30.0);
        if (!flag)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(value == 5);
        printf("after %.1f seconds\n", MPI_Wtime() - start);
    } else {
        value = 5;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
