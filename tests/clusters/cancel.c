/* Rank 0 cancels every other receive from anybody; what was not cancelled is taken instead. */
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, got, more, flag;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int left = 2 * (size - 1);
        while (left > 0) {
            MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
            if (left % 2 == 0) {
                MPI_Cancel(&request);
                MPI_Wait(&request, &status);
                MPI_Test_cancelled(&status, &flag);
                if (!flag) left--;
                else MPI_Recv(&more, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), left--;
            } else {
                MPI_Wait(&request, &status);
                left--;
            }
        }
    } else
        for (int i = 0; i < 2; i++) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
