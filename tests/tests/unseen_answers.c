/* An interpreter of words for tests/tests/unseen_answers.rs: each rank gets one, two characters for each operation. Polls
 * leave their answers in places that only some operations look at. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

static int rank, ranks, sent, polled, flags[MOST], values[MOST], got[MOST];
static MPI_Status statuses[MOST];
static MPI_Request requests[MOST];
static int count;

static int peer(int digit) { return digit == 9 ? MPI_ANY_SOURCE : digit % ranks; }

/* A poll whose answer is forgotten when it returns. */
static __attribute__((noinline)) void glance(int request, int from) {
    int flag;
    MPI_Status status;
    if (request >= 0)
        MPI_Test(&requests[request], &flag, &status);
    else
        MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
}

static int new_value(void) { return values[count] = 10 * rank + sent++; }

static int is_there(int request) { return request < count; }

static void polls(char what, int digit) {
    int place = polled++ % MOST;
    flags[place] = statuses[place].MPI_SOURCE = -7;
    if (what == 'T' && is_there(digit))
        MPI_Test(&requests[digit], &flags[place], &statuses[place]);
    else if (what == 'I')
        MPI_Iprobe(peer(digit), MPI_ANY_TAG, MPI_COMM_WORLD, &flags[place], &statuses[place]);
    else if (what == 'V') /* All polls in one place. */
        MPI_Iprobe(peer(digit), MPI_ANY_TAG, MPI_COMM_WORLD, &flags[0], &statuses[0]);
    else if (what == 'D' && is_there(digit))
        glance(digit, 0);
    else if (what == 'E')
        glance(-1, peer(digit));
}

/* Loops that look at one poll and not at the other. */
static void loops(char what, int digit) {
    int flag = 0, other;
    MPI_Status status;
    if (what == 'P') {
        while (!flag) {
            MPI_Iprobe(peer(digit), 0, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
            MPI_Iprobe(peer(digit), MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        }
        printf("is there;");
    } else if (what == 'K' && is_there(digit)) {
        while (MPI_Test(&requests[digit], &flag, MPI_STATUS_IGNORE), !flag)
            if (count > 1)
                MPI_Test(&requests[(digit + 1) % count], &other, MPI_STATUS_IGNORE);
        printf("is over;");
    } else if (what == 'G') {
        for (int i = 0; i < 2; i++)
            MPI_Iprobe(peer(digit), MPI_ANY_TAG, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
    }
}

static void looks(char what, int digit) {
    MPI_Request copy;
    if (what == 'L')
        printf("flag %d;", flags[digit]);
    else if (what == 'U')
        printf("from %d;", statuses[digit].MPI_SOURCE);
    else if (what == 'O')
        flags[digit] = 5;
    else if (what == 'M')
        MPI_Send(&flags[digit], 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    else if (what == 'N' && is_there(digit))
        printf("null %d;", requests[digit] == MPI_REQUEST_NULL);
    else if (what == 'C' && is_there(digit)) {
        memcpy(&copy, &requests[digit], sizeof copy);
        printf("copied %d;", copy == MPI_REQUEST_NULL);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *word = argv[1 + rank];
    for (; word[0] && word[1]; word += 2) {
        int digit = word[1] - '0', one = 0;
        MPI_Status status;
        if (strchr("SYBJ", word[0])) {
            int to = peer(digit), value = new_value();
            (void)value;
            if (word[0] == 'S')
                MPI_Isend(&values[count], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[count]);
            else if (word[0] == 'Y')
                MPI_Issend(&values[count], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[count]);
            else if (word[0] == 'J')
                MPI_Irecv(&got[count], 1, MPI_INT, to, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[count]);
            else
                MPI_Ibarrier(MPI_COMM_WORLD, &requests[count]);
            count++;
        } else if (word[0] == 'R') {
            MPI_Recv(&one, 1, MPI_INT, peer(digit), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            printf("got %d;", one);
        } else if (word[0] == 'W' && is_there(digit)) {
            status.MPI_ERROR = 3;
            MPI_Wait(&requests[digit], &status);
            if (digit % 2)
                printf("error %d;", status.MPI_ERROR);
        } else if (word[0] == 'A') {
            MPI_Waitall(count, requests, statuses);
        } else if (word[0] == 'Z' && count > 0) {
            MPI_Waitany(count, requests, &one, MPI_STATUS_IGNORE);
            printf("one %d;", one);
        } else if (word[0] == 'F' && flags[digit] != 1 && word[2]) {
            word += 2;
        } else if (word[0] == 'H') {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        polls(word[0], digit);
        loops(word[0], digit);
        looks(word[0], digit);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
