/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: reductions none=5 dpor=3 */
/* A loop that counts its polls comes back to where it was if the program says that the counter does not matter. */
#ifndef SENDS
#define SENDS 1
#endif
#ifndef IGNORES
#define IGNORES MC_ignore(&polls, sizeof polls)
#endif
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    long polls = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    IGNORES;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (; !flag; polls++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else if (SENDS) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
