/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: platform none */
/* smpi: verify --keep-going --reduction histories */
/* smpi: expect-finding deadlock */
/* Ranks 0 and 1 meet 2 and 3 in an order of their own. Only if both take the one that the first execution does not have,
 * they wait for each other in a circle, though nobody is told what they have drawn: what waits for a rank is in its group. */
#include <mpi.h>
#include <smpi/smpi.h>

#ifdef BARRIERS
static MPI_Comm with[4];

/* A communicator for each rank of the first two with each of the others. */
static void prepare(int rank)
{
    for (int one = 0; one < 2; one++)
        for (int other = 2; other < 4; other++) {
            MPI_Comm pair;
            MPI_Comm_split(MPI_COMM_WORLD, rank == one || rank == other ? 0 : MPI_UNDEFINED, 0, &pair);
            if (pair != MPI_COMM_NULL)
                with[rank == one ? other : one] = pair;
        }
}

static void meet(int rank, int other)
{
    (void)rank;
    MPI_Barrier(with[other]);
    MPI_Comm_free(&with[other]);
}
#else
static void prepare(int rank)
{
    (void)rank;
}

static void meet(int rank, int other)
{
    if (rank < 2)
        MPI_Recv(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Ssend(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
}
#endif

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    prepare(rank);
    if (rank < 2) {
        /* Both go to the one first that awaits them first, or both to the other one. */
        int other = MC_random(0, 1) == rank ? 2 : 3;
        meet(rank, other);
        meet(rank, 5 - other);
    } else {
        meet(rank, rank == 2 ? 0 : 1);
        meet(rank, rank == 2 ? 1 : 0);
    }
    MPI_Finalize();
    return 0;
}
