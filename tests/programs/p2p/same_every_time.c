/* smpi: ranks 16 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: twice */
/* smpi: shuffled */
/* smpi: verified race/message */
/* What is left to chance on a real machine is the same in every run: who comes first at a wildcard receive, which
 * request Waitany returns, how often a poll says no, and the time of everything. */
#include "../check.h"

#define ROUNDS 5

/* Receives from whoever comes and prints the order. */
static void print_arrivals(int round)
{
    printf("round %d:", round);
    for (int i = 1; i < check_size; i++) {
        MPI_Status status;
        int value;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
        CHECK_INT(value, status.MPI_SOURCE);
        printf(" %d", status.MPI_SOURCE);
    }
    printf(" at %.12f\n", MPI_Wtime());
}

/* Waits for all sends by Waitany and for an answer by polling, and prints what came of it. */
static void print_choices(int round)
{
    static char large[200000], in[4][200000];
    int order = 0, polls = 0, flag = 0, index, peer = (check_rank * 7 + round) % check_size;
    int other = check_rank;
    MPI_Request requests[4], receives[4];

    while ((other * 7 + round) % check_size != check_rank) /* who sends to this rank */
        other = (other + 1) % check_size;
    for (int i = 0; i < 4; i++) {
        int size = check_rank * 37 + (3 * i + round) % 4 * 49000;
        MPI_Irecv(in[i], 200000, MPI_CHAR, other, 100 + i, MPI_COMM_WORLD, &receives[i]);
        MPI_Isend(large, size, MPI_CHAR, peer, 100 + i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 4; i++) {
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        order = order * 10 + index;
    }
    for (; !flag; polls++)
        MPI_Testall(4, receives, &flag, MPI_STATUSES_IGNORE);
    printf("rank %d round %d: order %04d, %d polls, at %.12f\n", check_rank, round, order, polls, MPI_Wtime());
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        if (check_rank == 0)
            print_arrivals(round);
        else
            MPI_Send(&check_rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        print_choices(round);
    }
    return check_end();
}
