/* smpi: ranks 4 */
/* smpi: verify --keep-going --symmetric 1-3 */
/* smpi: expect-no-finding */
/* smpi: requires smpi */
/* smpi: expect-complete */
/* Three workers that may change places poll for their answers, and rank 0 for theirs. */
#include <assert.h>
#include <mpi.h>

#ifdef MOST
#define GIVES_UP(polls) (++(polls) == MOST)
#else
#define GIVES_UP(polls) 0
#endif

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0, polls = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            for (flag = 0; !flag;)
                MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
        }
    } else {
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Send(&polls, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        while (!flag && !GIVES_UP(polls))
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(flag);
    }
    MPI_Finalize();
    return 0;
}
