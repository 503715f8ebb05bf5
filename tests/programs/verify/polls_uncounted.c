/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Rank 0 polls by a function of its own, for one request, for any of two, and for a message, with a back-off that
 * changes and is the same again after some polls. It comes back to where it was, so nothing is left out. */
#include <mpi.h>

static int is_over(MPI_Request *request)
{
    int flag;

    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

int main(int argc, char **argv)
{
    int rank, values[2], flag = 0, index;
    volatile unsigned back_off = 1;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        while (!is_over(&requests[0]))
            back_off = back_off % 8 + 1;
        while (requests[1] != MPI_REQUEST_NULL)
            MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(values, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
