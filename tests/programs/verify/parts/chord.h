/* Nodes on a ring, in the order of their numbers. Node 0 is there from the beginning, the others join by asking it. */
#include <mpi.h>
#include <smpi/smpi.h>

/* Tags. */
#define REQUESTS 0
#ifndef ANSWERS
#define ANSWERS 1
#endif

enum { NOBODY = -1 };

/* FIND: who comes after this number? BEFORE: who is your predecessor? NOTICE: I may be. REFER: ask that one. */
enum kind { FIND = 1, BEFORE, NOTICE, FOUND, REFER };

struct message {
    int kind, node;
};

static int me, size, successor, predecessor = NOBODY;
static struct message request, answer;
static MPI_Request receive = MPI_REQUEST_NULL;

/* Whether a node lies on the way from one to another; all of them are between a node and itself. */
static int is_between(int node, int from, int to) {
    const int way = (to - from + size - 1) % size + 1, part = (node - from + size) % size;
    return part > 0 && part < way;
}

static void send(int kind, int node, int to, int tag) {
    struct message message = {kind, node};
    MPI_Send(&message, 2, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* A request has come. */
static void serve(int from) {
    const struct message asked = request;
    request = (struct message){0};
    MC_assert(asked.kind == FIND || asked.kind == BEFORE || asked.kind == NOTICE);
    if (asked.kind == NOTICE) {
        if (predecessor == NOBODY || is_between(from, predecessor, me))
            predecessor = from;
    } else if (asked.kind == BEFORE) {
        send(FOUND, predecessor, from, ANSWERS);
    } else if (asked.node == successor || is_between(asked.node, me, successor)) {
        send(FOUND, successor, from, ANSWERS);
    } else {
        send(REFER, successor, from, ANSWERS);
    }
}

static void listen(void) {
    if (receive == MPI_REQUEST_NULL)
        MPI_Irecv(&request, 2, MPI_INT, MPI_ANY_SOURCE, REQUESTS, MPI_COMM_WORLD, &receive);
}

/* What a node answers; meanwhile others are served. */
static struct message ask(int node, int kind) {
    MPI_Request requests[2];
    MPI_Irecv(&answer, 2, MPI_INT, node, ANSWERS, MPI_COMM_WORLD, &requests[0]);
    send(kind, me, node, REQUESTS);
    for (;;) {
        MPI_Status status;
        int which;
        listen();
        requests[1] = receive;
        MPI_Waitany(2, requests, &which, &status);
        receive = requests[1];
        const int from = status.MPI_SOURCE;
        status = (MPI_Status){0};
        if (which == 0)
            break;
        serve(from);
    }
    const struct message got = answer;
    answer = (struct message){0};
    MC_assert(got.kind == FOUND || got.kind == REFER);
    return got;
}

static void join(void) {
    struct message got = {REFER, 0};
    while (got.kind == REFER)
        got = ask(got.node, FIND);
    successor = got.node;
}

/* Once round the loop. */
static void stabilise(void) {
    MPI_Status status;
    if (successor == me && predecessor == NOBODY) {
        /* Alone: until somebody comes. */
        listen();
        MPI_Wait(&receive, &status);
        const int from = status.MPI_SOURCE;
        status = (MPI_Status){0};
        serve(from);
        return;
    }
    const int before = successor == me ? predecessor : ask(successor, BEFORE).node;
    if (before != NOBODY && is_between(before, me, successor))
        successor = before;
    MC_assert(successor != me);
    send(NOTICE, me, successor, REQUESTS);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    successor = me;
    if (me > 0)
        join();
    for (;;)
        stabilise();
}
