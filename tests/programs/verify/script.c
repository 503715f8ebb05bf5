/* An interpreter of small programs, one word for each rank, so that many can be verified without being compiled (see
 * "How that is tested" in docs/verification.md). Here two wildcard receives and two Waitany, whose second message
 * comes of the first one: the second request may be complete before the first Waitany looks, or not. */
/* smpi: ranks 3 */
/* smpi: args j*j*ww r*s0 s0s1 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
/* smpi: reductions none=322 dpor=6 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 16

static MPI_Request requests[MOST];
static int values[MOST], count;

static void print(int rank, char what, int value) { printf("%d%c%d ", rank, what, value); }

/* One operation: a letter, and a rank or `*` where it needs one. Returns the rest of the word. */
static const char *step(int rank, const char *word) {
    char what = *word++;
    int peer = 0, value = rank, index, flag = 0;
    MPI_Status status;
    if (what != 'w' && what != 'a' && what != 't' && what != 'b' && what != 'q') {
        peer = *word == '*' ? MPI_ANY_SOURCE : *word - '0';
        word++;
    }
    switch (what) {
    case 's':
        MPI_Send(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        break;
    case 'S':
        MPI_Ssend(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        break;
    case 'i':
        values[count] = rank;
        MPI_Isend(&values[count], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[count]);
        count++;
        break;
    case 'r':
        MPI_Recv(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        print(rank, what, value);
        break;
    case 'j':
        MPI_Irecv(&values[count], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[count]);
        count++;
        break;
    case 'p':
        MPI_Probe(peer, 0, MPI_COMM_WORLD, &status);
        print(rank, what, status.MPI_SOURCE);
        break;
    case 'w':
        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        print(rank, what, index);
        break;
    case 't':
        MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
        print(rank, what, flag ? index : -1);
        break;
    case 'q':
        while (!flag)
            MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        break;
    case 'a':
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case 'b':
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    default:
        fprintf(stderr, "no operation: %c\n", what);
        exit(1);
    }
    return word;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *word = rank + 1 < argc ? argv[rank + 1] : "";
    while (*word)
        word = step(rank, word);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++)
        print(rank, '=', values[i]);
    printf("\n");
    MPI_Finalize();
    return 0;
}
