/* A rank works on what is there, in whatever order that comes: loops over MPI_Parrived end. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int data[2] = { 1, 2 }, sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(1, request);
        MPI_Pready(0, request);
    } else {
        int taken[2] = { 0, 0 };
        data[0] = data[1] = 0;
        MPI_Precv_init(data, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int left = 2; left > 0;)
            for (int i = 0; i < 2; i++) {
                int there = 0;
                if (!taken[i])
                    MPI_Parrived(request, i, &there);
                if (there) {
                    sum += data[i];
                    taken[i] = 1;
                    left--;
                }
            }
        assert(sum == 3);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
