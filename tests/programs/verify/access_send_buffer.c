/* A send buffer is changed before the send is complete, and put back before anybody could notice by its content. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains access_send_buffer.c:21 */
/* smpi: expect-stderr-contains access_send_buffer.c:20 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int values[2];
    if (rank == 1) {
        MPI_Request request;
        for (int i = 0; i < 2; i++)
            values[i] = i;
        MPI_Isend(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        values[1]++;
        values[1]--;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(values, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
