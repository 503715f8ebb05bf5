/* An interpreter of small programs with propositions, one word for each rank, so that many can be run without being
 * compiled: tests/tests/property_campaign.rs makes such words and formulas about them. Here the second rank is told to
 * go on by whoever comes first, and rank 0 never hears of the other. */
/* smpi: ranks 3 */
/* smpi: args r*pl r*S0l S1l */
/* smpi: verify --ltl=G(p0->F(!p0)) --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* A word is operations without anything between them:
 *
 *   s S       a send of standard mode, a synchronous send, to the rank whose number follows
 *   r i       a receive, one that does not wait, from the rank whose number follows, or from any (*)
 *   w a       waits for all receives that are not over, for one of them (Waitany; nothing if there is none)
 *   m         0 or 1, whichever (MC_random)
 *   p q b     the proposition pN of rank N becomes false if it was true and true if it was false; qN; both
 *   n         a variable of its own, which the proposition nN speaks of and no formula does, changes so
 *   B         a barrier of all ranks
 *   k         a probe that does not wait, from any
 *   x         the rank is through if what it got last (a source, an index, a number, a flag) is odd
 *   o         skips the next operation if that is odd
 *   l         waits for its receives, and begins its word again
 *
 * At the end a rank waits for its receives. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

static int p, q, n, me, count, last;
static MPI_Request requests[MOST];

static int peer_of(const char *word) { return *word == '*' ? MPI_ANY_SOURCE : *word - '0'; }

static void wait_for_all(void) {
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    memset(requests, 0, sizeof requests);
    count = 0;
}

/* Waits for one of the receives; what is over leaves the array, and the later ones move up. */
static void wait_for_any(void) {
    int index;
    if (count == 0)
        return;
    MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    memmove(requests + index, requests + index + 1, (size_t)(count - index - 1) * sizeof *requests);
    requests[--count] = 0;
    last = index;
}

static void show(void) {
    int same;
    MPI_Comm_rank(MPI_COMM_WORLD, &same);
}

/* One operation; returns how many letters it has. */
static int operate(const char *word) {
    MPI_Status status;
    int flag;
    switch (*word) {
    case 's': MPI_Send(NULL, 0, MPI_CHAR, peer_of(word + 1), 0, MPI_COMM_WORLD); return 2;
    case 'S': MPI_Ssend(NULL, 0, MPI_CHAR, peer_of(word + 1), 0, MPI_COMM_WORLD); return 2;
    case 'r':
        MPI_Recv(NULL, 0, MPI_CHAR, peer_of(word + 1), 0, MPI_COMM_WORLD, &status);
        last = status.MPI_SOURCE;
        status = (MPI_Status){0};
        return 2;
    case 'i':
        if (count == MOST)
            exit(9);
        MPI_Irecv(NULL, 0, MPI_CHAR, peer_of(word + 1), 0, MPI_COMM_WORLD, &requests[count]);
        count++;
        return 2;
    case 'w': wait_for_all(); return 1;
    case 'a': wait_for_any(); return 1;
    case 'm': last = MC_random(0, 1); return 1;
    case 'p': p = !p; show(); return 1;
    case 'q': q = !q; show(); return 1;
    case 'b': p = !p; q = !q; show(); return 1;
    case 'n': n = !n; show(); return 1;
    case 'B': MPI_Barrier(MPI_COMM_WORLD); return 1;
    case 'k': MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); last = flag; return 1;
    default: fprintf(stderr, "script: %s: expected an operation\n", word); exit(9);
    }
}

static void run(const char *start) {
    const char *word = start;
    while (*word && *word != '-') {
        switch (*word) {
        case 'x':
            if (last % 2)
                return;
            word++;
            continue;
        case 'o':
            word++;
            if (last % 2 && *word)
                word += strchr("sSri", *word) ? 2 : 1;
            continue;
        case 'l':
            wait_for_all();
            last = 0;
            word = start;
            continue;
        default: word += operate(word);
        }
    }
}

int main(int argc, char **argv) {
    static char names[3][8];
    static int *const variables[] = {&p, &q, &n};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 3; i++) {
        sprintf(names[i], "%c%d", "pqn"[i], me);
        MC_proposition(names[i], variables[i]);
    }
    run(me + 1 < argc ? argv[me + 1] : "");
    wait_for_all();
    MPI_Finalize();
    return 0;
}
