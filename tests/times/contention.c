/*
 * Times of messages that compete for links.
 *
 * contention BYTES,BYTES,... : all patterns on all ranks with messages of about each size.
 */
#include "slots.h"

#define MAX_RANKS 64
/* Of a staggered start; no multiple of anything. */
#define STEP_SECS 0.000137

static int rank, size, bytes;
static char *out, *in;
static MPI_Request requests[2 * MAX_RANKS];
static int pending;

static void send(int to, int length)
{
    MPI_Isend(out, length, MPI_CHAR, to, 0, MPI_COMM_WORLD, &requests[pending++]);
}

static void receive(int from, int length)
{
    MPI_Irecv(in, length, MPI_CHAR, from, 0, MPI_COMM_WORLD, &requests[pending++]);
}

static void finish(void)
{
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    pending = 0;
}

static void all_to_one(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        receive(i, bytes);
    if (rank != 0)
        send(0, bytes);
}

static void one_to_all(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        send(i, bytes);
    if (rank != 0)
        receive(0, bytes);
}

/* Each rank of the first half sends to one of the second half. */
static void halves(void)
{
    if (rank < size / 2)
        send(rank + size / 2, bytes);
    else if (rank < size / 2 * 2)
        receive(rank - size / 2, bytes);
}

static void both_ways(void)
{
    int other = rank < size / 2 ? rank + size / 2 : rank - size / 2;

    if (rank >= size / 2 * 2)
        return;
    receive(other, bytes);
    send(other, bytes);
}

static void round_about(void)
{
    receive((rank + size - 1) % size, bytes);
    send((rank + 1) % size, bytes);
}

static void staggered(void)
{
    sleep_secs(rank * STEP_SECS);
    round_about();
}

/* Messages end one after the other, and those that are left get more. */
static void unequal(void)
{
    receive((rank + size - 1) % size, bytes / 16 * ((rank + size - 1) % size + 1));
    send((rank + 1) % size, bytes / 16 * (rank + 1));
}

/* Messages near and far at the same time. */
static void three_each(void)
{
    for (int distance = 1; distance <= 3; distance++) {
        receive((rank + size - distance) % size, bytes / distance);
        send((rank + distance) % size, bytes / distance);
    }
}

/* Everybody sends to everybody else. */
static void all_to_all(void)
{
    for (int i = 1; i < size; i++)
        receive((rank + size - i) % size, bytes);
    for (int i = 1; i < size; i++)
        send((rank + i) % size, bytes);
}

/* Four neighbours in a grid of four columns whose ends are joined; for multiples of four ranks. */
static void halo(void)
{
    int left = rank / 4 * 4 + (rank + 3) % 4, right = rank / 4 * 4 + (rank + 1) % 4;
    int above = (rank + size - 4) % size, below = (rank + 4) % size;

    receive(left, bytes);
    receive(right, bytes);
    receive(above, bytes);
    receive(below, bytes);
    send(right, bytes);
    send(left, bytes);
    send(below, bytes);
    send(above, bytes);
}

/* Each rank passes on what it got; a second message follows while the first is on its way. */
static void chain(void)
{
    for (int i = 0; i < 2; i++) {
        if (rank > 0)
            MPI_Recv(in, bytes, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank < size - 1)
            MPI_Send(out, bytes, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} patterns[] = {
    { "all to one", all_to_one },
    { "one to all", one_to_all },
    { "halves", halves },
    { "both ways", both_ways },
    { "round about", round_about },
    { "staggered", staggered },
    { "unequal", unequal },
    { "three each", three_each },
    { "all to all", all_to_all },
    { "halo", halo },
    { "chain", chain },
};

int main(int argc, char **argv)
{
    char name[100];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc(1, 8 << 20);
    in = calloc(1, 8 << 20);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (char *rest = patterns[i].run == halo && size % 4 != 0 ? "" : argv[1]; *rest != '\0';) {
            bytes = next_number(&rest);
            begin();
            patterns[i].run();
            finish();
            snprintf(name, sizeof name, "%s %d B", patterns[i].name, bytes);
            end(name, MPI_COMM_WORLD);
        }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
