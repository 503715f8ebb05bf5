/*
 * Times of point-to-point communication between ranks 0 and 1.
 *
 * messages BYTES,BYTES,... [PATTERN...]: all patterns, or those that are named, with messages of each size.
 */
#include "slots.h"

#define OTHER (1 - rank)
/* Late is this much after the slot's start: longer than most transfers, and no multiple of anything. */
#define LATE_SECS 0.00317
#define MANY 4

static int rank, bytes;
static char *out, *in;

static void late(int who)
{
    if (rank == who)
        sleep_secs(LATE_SECS);
}

static void receive(void)
{
    MPI_Recv(in, bytes, MPI_CHAR, OTHER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void one_way(int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    if (rank == 0)
        send(out, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        receive();
}

static void send_now(void)
{
    one_way(MPI_Send);
}

static void send_early(void)
{
    late(1);
    one_way(MPI_Send);
}

static void send_late(void)
{
    late(0);
    one_way(MPI_Send);
}

static void ssend_now(void)
{
    one_way(MPI_Ssend);
}

static void ssend_early(void)
{
    late(1);
    one_way(MPI_Ssend);
}

static void ssend_late(void)
{
    late(0);
    one_way(MPI_Ssend);
}

static void rsend_late(void)
{
    late(0);
    one_way(MPI_Rsend);
}

static void bsend_early(void)
{
    int space = bytes + MPI_BSEND_OVERHEAD;
    char *buffer = malloc(space);

    MPI_Buffer_attach(buffer, space);
    late(1);
    one_way(MPI_Bsend);
    if (rank == 0)
        sleep_secs(3 * LATE_SECS);
    MPI_Buffer_detach(&buffer, &space);
    free(buffer);
}

static void overlap(int sleeper)
{
    MPI_Request request;

    if (rank == 0)
        MPI_Isend(out, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    late(sleeper);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void isend_sleeps(void)
{
    overlap(0);
}

static void irecv_sleeps(void)
{
    overlap(1);
}

static void issend_early(void)
{
    MPI_Request request;

    late(1);
    if (rank == 0) {
        MPI_Issend(out, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        receive();
    }
}

static void exchange(void)
{
    MPI_Sendrecv(out, bytes, MPI_CHAR, OTHER, 0, in, bytes, MPI_CHAR, OTHER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* SMPI refuses to do it with nothing. */
static void exchange_in_place(void)
{
    if (bytes > 0)
        MPI_Sendrecv_replace(out, bytes, MPI_CHAR, OTHER, 0, OTHER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ping_pong(void)
{
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            MPI_Send(out, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        receive();
        if (rank == 1)
            MPI_Send(out, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
}

/* Several messages one way; the receiver takes the last tag first. */
static void in_a_row(void)
{
    for (int i = 0; i < MANY; i++) {
        if (rank == 0)
            MPI_Send(out, bytes, MPI_CHAR, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(in, bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void at_once(void)
{
    MPI_Request requests[2 * MANY];

    for (int i = 0; i < MANY; i++) {
        MPI_Irecv(in, bytes, MPI_CHAR, OTHER, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out, bytes, MPI_CHAR, OTHER, i, MPI_COMM_WORLD, &requests[MANY + i]);
    }
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
}

/* The receiver takes what comes first, again and again; messages differ in size. */
static void any_first(void)
{
    MPI_Request requests[MANY];
    int index;

    for (int i = 0; i < MANY; i++) {
        if (rank == 0)
            MPI_Isend(out, bytes / (i + 1), MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Irecv(in, bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
}

static void start_persistent(int times)
{
    MPI_Request request;

    if (rank == 0)
        MPI_Send_init(out, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < times; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static void persistent_once(void)
{
    start_persistent(1);
}

static void persistent(void)
{
    start_persistent(3);
}

static void probed(void)
{
    if (rank == 1)
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    one_way(MPI_Send);
}

/* Each look takes time (smpi/test), and the more the longer it is in vain (smpi/grow-injected-times). */
static void polled(void)
{
    MPI_Request request;
    int done = 0;

    if (rank == 1) {
        MPI_Irecv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } else {
        one_way(MPI_Send);
    }
}

static void probed_often(void)
{
    int there = 0;

    late(0);
    while (rank == 1 && !there)
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    one_way(MPI_Send);
}

static void to_itself(void)
{
    MPI_Request request;

    MPI_Irecv(in, bytes, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_CHAR, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} patterns[] = {
    { "send", send_now },
    { "send-early", send_early },
    { "send-late", send_late },
    { "ssend", ssend_now },
    { "ssend-early", ssend_early },
    { "ssend-late", ssend_late },
    { "rsend-late", rsend_late },
    { "bsend-early", bsend_early },
    { "issend-early", issend_early },
    { "isend-sleeps", isend_sleeps },
    { "irecv-sleeps", irecv_sleeps },
    { "exchange", exchange },
    { "exchange-in-place", exchange_in_place },
    { "ping-pong", ping_pong },
    { "in-a-row", in_a_row },
    { "at-once", at_once },
    { "any-first", any_first },
    { "persistent-once", persistent_once },
    { "persistent", persistent },
    { "probed", probed },
    { "polled", polled },
    { "probed-often", probed_often },
    { "to-itself", to_itself },
};

static int is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(name, argv[i]) == 0)
            return 1;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    char name[100];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = calloc(1, 16 << 20);
    in = calloc(1, 16 << 20);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (!is_wanted(patterns[i].name, argc, argv))
            continue;
        for (char *rest = argv[1]; *rest != '\0';) {
            bytes = next_number(&rest);
            begin();
            patterns[i].run();
            snprintf(name, sizeof name, "%s %d B", patterns[i].name, bytes);
            end(name, MPI_COMM_WORLD);
        }
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
