/* smpi: ranks 13 */
/* smpi: platform torus.toml */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: twice */
/* smpi: verified exit-code */
/* How long an empty message takes says how far away its receiver is: one link of 50 us for each hop on a torus of
 * 3 x 2 x 2, and for rank 12, outside, a link of 1 ms to the host of rank 4. */
#include "../check.h"

/* The model's factor of the latency of short messages; their few bytes take less than 1 us. */
#define FACTOR 2.01467

static int round_about(int a, int b, int size)
{
    int ahead = (b - a + size) % size;
    return ahead <= size - ahead ? ahead : size - ahead;
}

static double distance(int a, int b)
{
    if (a == 12)
        return 1e-3 + distance(4, b);
    return (round_about(a % 3, b % 3, 3) + round_about(a / 3 % 2, b / 3 % 2, 2) + round_about(a / 6, b / 6, 2)) * 50e-6;
}

/* The time of a message there and back. */
static double there_and_back(int peer)
{
    double start = MPI_Wtime();
    MPI_Send(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

static void answer(int source)
{
    MPI_Recv(NULL, 0, MPI_BYTE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, source, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int source = 0; source < check_size; source++) {
        for (int peer = 0; peer < source; peer++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (check_rank == source) {
                double expected = 2 * FACTOR * distance(source, peer), error;
                there_and_back(peer); /* now the peer waits */
                error = there_and_back(peer) - expected;
                CHECK(error > -1e-6 && error < 2e-6);
            } else if (check_rank == peer) {
                answer(source);
                answer(source);
            }
        }
    }
    return check_end();
}
