/* An interpreter of small programs, one word for each rank, so that many can be run without being compiled: the random
 * programs of tests/tests/campaign.rs are such words. Here two wildcard receives and two Waitany, whose second message
 * comes of the first one: the second request may be complete before the first Waitany looks, or not. */
/* smpi: ranks 3 */
/* smpi: args irecv*,irecv*,waitany,waitany recv*,send0 send0,send1 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
/* smpi: reductions none=322 dpor=6 */
/* A word is operations with commas between them; `-` has none. An operation is a name, a number or `*`, `.` with a tag
 * (0 without it, `.*` for any), `@` with a communicator, and `+` for a message of MANY integers instead of one:
 *
 *   send ssend bsend rsend isend issend ibsend irsend   to that rank
 *   psend pssend pbsend prsend                          a persistent send, not started
 *   recv irecv precv                                    from that rank; precv: persistent, not started
 *   partsend partrecv                                   partitioned, to or from that rank, not started: 2 partitions of
 *                                                       6 integers that are sent, 3 of 4 that are received
 *   ready arrived pollpart                              of the request made as that one of its rank; the tag is the
 *                                                       partition; pollpart: Parrived until it says yes
 *   probe mrecv sendrecv                                sendrecv: to that rank, from any
 *   iprobe imrecv pollprobe                             pollprobe: Iprobe until it says yes
 *   start wait test poll pollcall turns retry status    of the request made as that one of its rank, from 0; poll: Test
 *   cancel free                                         until it says yes; pollcall: with another call between two
 *                                                       tests; turns: with an Iprobe for anything behind the second;
 *                                                       retry: at most three times; status: Request_get_status
 *   inturn                                              Test of that request until it says yes, in turn with an Iprobe
 *                                                       for messages, of which two are received, or with a Test of the
 *                                                       next request (tags 2 and 3); with an odd tag it is printed at
 *                                                       the end what the other one has answered last
 *   waitany waitsome waitall testany testsome testall pollall startall
 *   barrier bcast reduce allreduce gather scatter allgather alltoall scan exscan redscat
 *                                                       collective; a number is the root; with `i` in front
 *                                                       nonblocking, with `p` persistent and not started
 *   dup split                                           a new communicator that is freed at once
 *   if                                                  skips the next operation unless the last thing seen (a source,
 *                                                       an index, a flag) was that number
 *   fail                                                this rank ends by one of four signals
 *   tell                                                this rank exits, or not, both under the checker; where, follows
 *                                                       from all that it has seen since it began its word
 *   again                                               waits for all its requests and frees them, forgets everything,
 *                                                       and begins its word again
 *
 * Communicators: `w` all ranks (the default), `d` a duplicate of it, `h` the ranks that are even or odd, the last
 * first, `x` between the even and the odd ones, where a root is given by its rank in all.
 * At the end all requests are waited for and freed. Every rank prints what it sees, a line for each operation. A first
 * argument `delay=SEED` makes it compute between operations, so that simulations differ; `rounds=N` ends a word where
 * it comes to `again` for the N-th time. */
#include <ctype.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 24
#define MANY 16

/* Of libsmpi's smpi/smpi.h; other MPIs do not have it. */
extern void smpi_execute(double seconds) __attribute__((weak));
extern int MC_random(int min, int max) __attribute__((weak));

typedef struct {
    char name[16];
    int peer, tag, count;
    MPI_Comm comm;
} Op;

typedef struct {
    char kind;       /* s: send, r: receive, c: collective */
    char persistent; /* 1: made for several starts */
    char active;     /* 1: somebody has to wait for it */
    char parts;      /* 1: partitioned */
    char ready[2];   /* 1: this partition is */
    int in[MANY], out[MANY];
} Request;

static int me, ranks, sent, last;
static MPI_Comm world, twin, half, cross;
static MPI_Request handles[MOST];
static Request requests[MOST];
static int count;
static unsigned seen;

static _Noreturn void refuse(const char *what, const char *why) {
    fprintf(stderr, "script: %s: %s\n", what, why);
    exit(9);
}

static Request *add(char kind, int persistent) {
    if (count == MOST)
        refuse("requests", "too many");
    requests[count].kind = kind;
    requests[count].persistent = persistent;
    requests[count].active = !persistent;
    return &requests[count];
}

/* A value that says who sent it, and as which of its messages. */
static int next_value(void) { return 100 * me + sent++; }

/* Remembers what was seen; gives it back. */
static int see(int value) {
    seen = (seen ^ (unsigned)value) * 2654435761u;
    seen ^= seen >> 15;
    return value;
}

/* Exits at a line that tells what was seen, and by whom: one finding for each. */
static void stop(void) {
    switch ((seen + 5u * (unsigned)me) % 16) {
        /* clang-format off */
    case 0: MPI_Comm_rank(world, &me); exit(1);
    case 1: MPI_Comm_rank(world, &me); exit(2);
    case 2: MPI_Comm_rank(world, &me); exit(3);
    case 3: MPI_Comm_rank(world, &me); exit(4);
    case 4: MPI_Comm_rank(world, &me); exit(5);
    case 5: MPI_Comm_rank(world, &me); exit(6);
    case 6: MPI_Comm_rank(world, &me); exit(7);
    case 7: MPI_Comm_rank(world, &me); exit(8);
    case 8: MPI_Comm_rank(world, &me); exit(9);
    case 9: MPI_Comm_rank(world, &me); exit(10);
    case 10: MPI_Comm_rank(world, &me); exit(11);
    case 11: MPI_Comm_rank(world, &me); exit(12);
    case 12: MPI_Comm_rank(world, &me); exit(13);
    case 13: MPI_Comm_rank(world, &me); exit(14);
    case 14: MPI_Comm_rank(world, &me); exit(15);
    case 15: MPI_Comm_rank(world, &me); exit(16);
        /* clang-format on */
    }
}

static int number_of(const Op *op) {
    if (op->peer < 0 || op->peer >= count)
        refuse(op->name, "no such request");
    return op->peer;
}

/* Prints what a collective operation gave. */
static void print_values(const int *values) {
    for (int i = 0; i < ranks; i++)
        printf("%d;", values[i]);
    printf("\n");
}

/* Prints what is known of a request that is over. */
static void print_over(int k, const MPI_Status *status) {
    Request *request = &requests[k];
    int cancelled = 0;
    if (!request->active) {
        printf("%d %d:-\n", me, k);
        return;
    }
    request->active = 0;
    see(k);
    if (request->kind != 'c')
        MPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        printf("%d %d:cancelled\n", me, k);
    else if (request->kind == 's')
        printf("%d %d:sent\n", me, k);
    else if (request->kind == 'r')
        printf("%d %d:%d.%d=%d\n", me, k, last = see(status->MPI_SOURCE), status->MPI_TAG, see(request->in[0]));
    else {
        printf("%d %d:", me, k);
        print_values(request->in);
    }
}

static void print_flag(const char *name, int flag) {
    last = see(flag);
    printf("%d %s:%d\n", me, name, flag);
}

static int is(const Op *op, const char *name) { return strcmp(op->name, name) == 0; }

/* Sends and receives; returns 1 when it was one. */
static int transfer(const Op *op) {
    static const char *const modes[] = {"", "s", "b", "r"};
    static int (*const blocking[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {
        MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
    static int (*const immediate[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
        MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend, MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    char name[16] = "";
    for (int mode = 0; mode < 4; mode++)
        for (int way = 0; way < 3; way++) {
            sprintf(name, "%.*s%ssend", way > 0, way == 1 ? "i" : "p", modes[mode]);
            if (!is(op, name))
                continue;
            if (way == 0) {
                int values[MANY] = {next_value()};
                return blocking[mode](values, op->count, MPI_INT, op->peer, op->tag, op->comm), 1;
            }
            Request *request = add('s', way == 2);
            request->out[0] = next_value();
            immediate[mode + 4 * (way == 2)](
                request->out, op->count, MPI_INT, op->peer, op->tag, op->comm, &handles[count]);
            return ++count;
        }
    if (is(op, "partsend")) {
        Request *request = add('s', 1);
        request->parts = 1;
        for (int i = 0, value = next_value(); i < 12; i++)
            request->out[i] = value + 1000 * (i / 6);
        MPI_Psend_init(request->out, 2, 6, MPI_INT, op->peer, op->tag, op->comm, MPI_INFO_NULL, &handles[count]);
        return ++count;
    }
    if (is(op, "partrecv")) {
        Request *request = add('r', 1);
        request->parts = 1;
        MPI_Precv_init(request->in, 3, 4, MPI_INT, op->peer, op->tag, op->comm, MPI_INFO_NULL, &handles[count]);
        return ++count;
    }
    if (is(op, "irecv") || is(op, "precv")) {
        Request *request = add('r', op->name[0] == 'p');
        (op->name[0] == 'p' ? MPI_Recv_init : MPI_Irecv)(
            request->in, MANY, MPI_INT, op->peer, op->tag, op->comm, &handles[count]);
        return ++count;
    }
    if (is(op, "recv") || is(op, "mrecv") || is(op, "sendrecv")) {
        int in[MANY] = {0}, out[MANY] = {0};
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status = {0};
        if (is(op, "recv"))
            MPI_Recv(in, MANY, MPI_INT, op->peer, op->tag, op->comm, &status);
        else if (is(op, "mrecv")) {
            MPI_Mprobe(op->peer, op->tag, op->comm, &message, &status);
            MPI_Mrecv(in, MANY, MPI_INT, &message, &status);
        } else {
            out[0] = next_value();
            MPI_Sendrecv(out, op->count, MPI_INT, op->peer, op->tag, in, MANY, MPI_INT, MPI_ANY_SOURCE, op->tag,
                op->comm, &status);
        }
        printf("%d %s:%d.%d=%d\n", me, op->name, last = see(status.MPI_SOURCE), status.MPI_TAG, see(in[0]));
        return 1;
    }
    return 0;
}

/* Probes; returns 1 when it was one. */
static int probe(const Op *op) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status = {0};
    int in[MANY] = {0}, flag = 0;
    if (is(op, "probe")) {
        MPI_Probe(op->peer, op->tag, op->comm, &status);
        flag = 1;
    } else if (is(op, "iprobe"))
        MPI_Iprobe(op->peer, op->tag, op->comm, &flag, &status);
    else if (is(op, "imrecv")) {
        MPI_Improbe(op->peer, op->tag, op->comm, &flag, &message, &status);
        if (flag)
            MPI_Mrecv(in, MANY, MPI_INT, &message, &status);
    } else if (is(op, "pollprobe"))
        while (!flag)
            MPI_Iprobe(op->peer, op->tag, op->comm, &flag, &status);
    else
        return 0;
    print_flag(op->name, flag);
    if (flag)
        printf("%d :%d.%d\n", me, last = see(status.MPI_SOURCE), status.MPI_TAG);
    return 1;
}

/* Starts a request. */
static void start(int k) {
    MPI_Start(&handles[k]);
    requests[k].active = 1;
    requests[k].ready[0] = requests[k].ready[1] = 0;
}

/* Marks a partition as ready, if it may be. */
static void make_ready(int k, int partition) {
    Request *request = &requests[k];
    if (request->parts && request->kind == 's' && request->active && !request->ready[partition % 2]) {
        request->ready[partition % 2] = 1;
        MPI_Pready(partition % 2, handles[k]);
    }
}

/* Prints the first and the last number of a partition of 4, if it is there. */
static void print_part(const Request *request, int partition, int is_there) {
    const int *part = &request->in[4 * partition];
    if (is_there && request->active)
        printf("%d :%d,%d\n", me, see(part[0]), see(part[3]));
}

/* What is done with the partitions of a request; returns 1 when it was that. */
static int partitions(const Op *op) {
    int flag = 0;
    if (is(op, "ready"))
        make_ready(number_of(op), op->tag);
    else if (is(op, "arrived")) {
        Request *request = &requests[number_of(op)];
        if (!request->parts || request->kind != 'r')
            return 1;
        MPI_Parrived(handles[op->peer], op->tag % 3, &flag);
        print_flag(op->name, flag);
        print_part(request, op->tag % 3, flag);
    } else if (is(op, "pollpart")) {
        Request *request = &requests[number_of(op)];
        if (!request->parts || request->kind != 'r')
            return 1;
        while (!flag)
            MPI_Parrived(handles[op->peer], op->tag % 3, &flag);
        print_part(request, op->tag % 3, flag);
    } else
        return 0;
    return 1;
}

/* Polls for a request and for something else in turn. */
static void poll_in_turn(int k, int way) {
    MPI_Status status = {0}, probed = {0};
    int flag = 0, found = 0, over = 0, messages = 0, other = (k + 1) % count, in[MANY];
    while (!flag || (way / 2 && !over)) {
        if (way / 2 && !over) {
            MPI_Test(&handles[other], &found, &probed);
            if (found)
                print_over(other, &probed);
            over = found;
        } else if (way / 2 == 0) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &found, &probed);
            if (found && messages < 2) {
                MPI_Recv(in, MANY, MPI_INT, probed.MPI_SOURCE, probed.MPI_TAG, world, MPI_STATUS_IGNORE);
                printf("%d inturn:%d.%d=%d\n", me, last = see(probed.MPI_SOURCE), probed.MPI_TAG, see(in[0]));
                messages++;
            }
        }
        if (!flag)
            MPI_Test(&handles[k], &flag, &status);
        if (flag && requests[k].active) {
            print_over(k, &status);
            if (way % 2)
                print_flag("found", found);
        }
    }
}

/* What is done with one request; returns 1 when it was that. */
static int one_request(const Op *op) {
    MPI_Status status = {0};
    int flag = 0;
    if (is(op, "wait")) {
        MPI_Wait(&handles[number_of(op)], &status);
        print_over(op->peer, &status);
    } else if (is(op, "test")) {
        MPI_Test(&handles[number_of(op)], &flag, &status);
        print_flag(op->name, flag);
        if (flag)
            print_over(op->peer, &status);
    } else if (is(op, "retry")) {
        int tries = 0;
        for (number_of(op); tries < 3 && !flag; tries++)
            MPI_Test(&handles[op->peer], &flag, &status);
        printf("%d tries:%d\n", me, tries);
        print_flag(op->name, flag);
        if (flag)
            print_over(op->peer, &status);
    } else if (is(op, "turns")) {
        number_of(op);
        for (int round = 0, found; MPI_Test(&handles[op->peer], &flag, &status), !flag; round += round < 2) {
            MPI_Status probed;
            if (round == 1) {
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &found, &probed);
                print_flag("turn", found);
                if (found)
                    printf("%d from:%d\n", me, probed.MPI_SOURCE);
            }
        }
        print_over(op->peer, &status);
    } else if (is(op, "inturn")) {
        poll_in_turn(number_of(op), op->tag % 4);
    } else if (is(op, "poll") || is(op, "pollcall")) {
        for (number_of(op); !flag;) {
            if (is(op, "pollcall"))
                MPI_Send(&flag, 1, MPI_INT, MPI_PROC_NULL, 0, world);
            MPI_Test(&handles[op->peer], &flag, &status);
        }
        print_over(op->peer, &status);
    } else if (is(op, "status")) {
        if (handles[number_of(op)] != MPI_REQUEST_NULL)
            MPI_Request_get_status(handles[op->peer], &flag, &status);
        print_flag(op->name, flag);
    } else if (is(op, "cancel")) {
        if (handles[number_of(op)] != MPI_REQUEST_NULL && requests[op->peer].active && !requests[op->peer].parts)
            MPI_Cancel(&handles[op->peer]);
    } else if (is(op, "free")) {
        if (requests[number_of(op)].parts)
            return 1;
        if (handles[op->peer] != MPI_REQUEST_NULL)
            MPI_Request_free(&handles[op->peer]);
        requests[op->peer].active = 0;
    } else if (is(op, "start")) {
        if (requests[number_of(op)].persistent && handles[op->peer] != MPI_REQUEST_NULL && !requests[op->peer].active)
            start(op->peer);
    } else
        return 0;
    return 1;
}

/* What is done with all requests; returns 1 when it was that. */
static int all_requests(const Op *op) {
    MPI_Status statuses[MOST] = {0};
    int indices[MOST] = {0}, index = MPI_UNDEFINED, flag = 1, done = 0;
    if (is(op, "waitany") || is(op, "testany")) {
        if (op->name[0] == 'w')
            MPI_Waitany(count, handles, &index, statuses);
        else
            MPI_Testany(count, handles, &index, &flag, statuses);
        print_flag(op->name, flag && index != MPI_UNDEFINED ? index : -flag - 1);
        if (flag && index != MPI_UNDEFINED)
            print_over(index, statuses);
    } else if (is(op, "waitsome") || is(op, "testsome")) {
        (op->name[0] == 'w' ? MPI_Waitsome : MPI_Testsome)(count, handles, &done, indices, statuses);
        print_flag(op->name, done);
        for (int k = 0; k < count; k++)
            for (int i = 0; i < done; i++)
                if (indices[i] == k)
                    print_over(k, &statuses[i]);
    } else if (is(op, "waitall") || is(op, "testall") || is(op, "pollall")) {
        if (op->name[0] == 'w')
            MPI_Waitall(count, handles, statuses);
        else
            do
                MPI_Testall(count, handles, &flag, statuses);
            while (op->name[0] == 'p' && !flag);
        print_flag(op->name, flag);
        for (int k = 0; k < count && flag; k++)
            if (requests[k].active)
                print_over(k, &statuses[k]);
    } else if (is(op, "startall")) {
        for (int k = 0; k < count; k++)
            if (requests[k].persistent && handles[k] != MPI_REQUEST_NULL && !requests[k].active)
                start(k);
    } else
        return 0;
    return 1;
}

/* A root as this rank has to say it. */
static int root_of(const Op *op) {
    if (op->comm != cross)
        return op->peer;
    if (op->peer % 2 == me % 2)
        return op->peer == me ? MPI_ROOT : MPI_PROC_NULL;
    return op->peer / 2;
}

/* `bcast` has way 0, `ibcast` 1, `pbcast` 2; -1: it is another operation. */
static int way_of(const Op *op, const char *name) {
    const char *prefix = op->name[0] == 'i' ? "i" : "p";
    if (is(op, name))
        return 0;
    return op->name[0] == *prefix && strcmp(op->name + 1, name) == 0 ? 1 + (*prefix == 'p') : -1;
}

#define CALL(upper, lower, ...)                              \
    (way == 0   ? MPI_##upper(__VA_ARGS__)                   \
     : way == 1 ? MPI_I##lower(__VA_ARGS__, &handles[count]) \
                : MPI_##upper##_init(__VA_ARGS__, MPI_INFO_NULL, &handles[count]))

/* Collective operations; returns 1 when it was one. */
static int collective(const Op *op) {
    static const char *const names[] = {"barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather",
        "alltoall", "scan", "exscan", "redscat"};
    static Request blocking;
    int which = 0, way = -1, root = root_of(op), here = 0, blocks[MANY];
    while (which < 11 && (way = way_of(op, names[which])) < 0)
        which++;
    if (which == 11)
        return 0;
    Request *request = way == 0 ? &blocking : add('c', way == 2);
    int *in = request->in, *out = request->out;
    MPI_Comm comm = op->comm;
    MPI_Comm_rank(comm, &here);
    for (int i = 0; i < MANY; i++) {
        in[i] = -1;
        out[i] = 100 * me + sent + i;
        blocks[i] = 1;
    }
    sent++;
    if (which == 1 && (comm == cross ? root == MPI_ROOT : root == here))
        in[0] = out[0];
    switch (which) {
    case 0: CALL(Barrier, barrier, comm); break;
    case 1: CALL(Bcast, bcast, in, 1, MPI_INT, root, comm); break;
    case 2: CALL(Reduce, reduce, out, in, 1, MPI_INT, MPI_SUM, root, comm); break;
    case 3: CALL(Allreduce, allreduce, out, in, 1, MPI_INT, MPI_SUM, comm); break;
    case 4: CALL(Gather, gather, out, 1, MPI_INT, in, 1, MPI_INT, root, comm); break;
    case 5: CALL(Scatter, scatter, out, 1, MPI_INT, in, 1, MPI_INT, root, comm); break;
    case 6: CALL(Allgather, allgather, out, 1, MPI_INT, in, 1, MPI_INT, comm); break;
    case 7: CALL(Alltoall, alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm); break;
    case 8: CALL(Scan, scan, out, in, 1, MPI_INT, MPI_SUM, comm); break;
    case 9: CALL(Exscan, exscan, out, in, 1, MPI_INT, MPI_SUM, comm); break;
    default: CALL(Reduce_scatter, reduce_scatter, out, in, blocks, MPI_INT, MPI_SUM, comm);
    }
    if (way == 0) {
        printf("%d %s:", me, op->name);
        print_values(in);
    } else
        count++;
    return 1;
}

/* Makes a communicator and gives it up; returns 1 when it was that. */
static int construct(const Op *op) {
    MPI_Comm fresh = MPI_COMM_NULL;
    if (is(op, "dup"))
        MPI_Comm_dup(op->comm, &fresh);
    else if (is(op, "split"))
        MPI_Comm_split(op->comm, me % 2, 0, &fresh);
    else
        return 0;
    MPI_Comm_free(&fresh);
    return 1;
}

/* Reads an operation; returns the rest of the word. */
static const char *read_op(const char *word, Op *op) {
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    *op = (Op){.count = 1, .comm = world};
    if (length == 0 || length >= sizeof op->name)
        refuse(word, "expected an operation");
    memcpy(op->name, word, length);
    word += length;
    for (int place = 0; place < 2; place++) {
        if (place == 1 && *word++ != '.') {
            word--;
            break;
        }
        int *value = place == 0 ? &op->peer : &op->tag;
        if (*word == '*') {
            *value = place == 0 ? MPI_ANY_SOURCE : MPI_ANY_TAG;
            word++;
        } else
            for (; isdigit((unsigned char)*word); word++)
                *value = 10 * *value + (*word - '0');
    }
    if (*word == '@') {
        op->comm = word[1] == 'd' ? twin : word[1] == 'h' ? half : word[1] == 'x' ? cross : world;
        word += 2;
    }
    if (*word == '+') {
        op->count = MANY;
        word++;
    }
    return *word == ',' ? word + 1 : word;
}

/* Computes for a time that follows from the seed and the place in the program. */
static void delay(unsigned seed) {
    static unsigned calls;
    unsigned hash = (seed * 2654435761u) ^ (++calls * 40503u + (unsigned)me * 69069u);
    hash = (hash ^ (hash >> 15)) * 2246822519u;
    hash ^= hash >> 13;
    static const double steps[] = {0, 0, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 1e-2};
    double seconds = steps[hash % 8];
    if (smpi_execute)
        smpi_execute(seconds);
    else if (seconds > 0)
        usleep((useconds_t)(seconds * 1e6));
}

/* Waits for all requests and frees them. */
static void end_requests(void) {
    MPI_Status statuses[MOST] = {0};
    for (int k = 0; k < 2 * count; k++)
        make_ready(k / 2, k % 2);
    MPI_Waitall(count, handles, statuses);
    for (int k = 0; k < count; k++) {
        if (requests[k].active)
            print_over(k, &statuses[k]);
        if (handles[k] != MPI_REQUEST_NULL)
            MPI_Request_free(&handles[k]);
    }
}

/* Nothing is left of what was done so far, so that states can repeat. */
static void forget(void) {
    end_requests();
    memset(requests, 0, sizeof requests);
    memset(handles, 0, sizeof handles);
    count = sent = last = 0;
    seen = 0;
}

static void run(const char *start, unsigned seed, int rounds) {
    static const int failures[] = {SIGABRT, SIGFPE, SIGSEGV, SIGILL};
    const char *word = start;
    Op op;
    while (*word && strcmp(word, "-") != 0) {
        word = read_op(word, &op);
        if (seed)
            delay(seed);
        if (is(&op, "if")) {
            if (last != op.peer && *word)
                word = read_op(word, &op);
            continue;
        }
        if (is(&op, "again")) {
            if (rounds > 0 && --rounds == 0)
                return;
            forget();
            word = start;
            continue;
        }
        if (is(&op, "tell")) {
            if (MC_random && MC_random(0, 1))
                stop();
            continue;
        }
        if (is(&op, "fail"))
            raise(failures[op.peer % 4]);
        /* Two polls with nothing between them count as one that is made twice. */
        MPI_Comm_rank(world, &me);
        if (!(transfer(&op) || probe(&op) || partitions(&op) || one_request(&op) || all_requests(&op) || collective(&op) ||
                construct(&op)))
            refuse(op.name, "no such operation");
    }
}

/* Whether some rank needs this. */
static int wanted(int argc, char **argv, const char *what) {
    for (int i = 1; i < argc; i++)
        if (strstr(argv[i], what))
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    static char buffer[MOST * (MANY * sizeof(int) + MPI_BSEND_OVERHEAD)];
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &ranks);
    int is_late = argc > 1 && strncmp(argv[1], "delay=", 6) == 0;
    int is_bounded = argc > 1 && strncmp(argv[1], "rounds=", 7) == 0;
    unsigned seed = is_late ? (unsigned)atoi(argv[1] + 6) : 0;
    int rounds = is_bounded ? atoi(argv[1] + 7) : 0;
    int first = is_late || is_bounded ? 2 : 1;
    if (wanted(argc, argv, "@d"))
        MPI_Comm_dup(world, &twin);
    if (wanted(argc, argv, "@h") || wanted(argc, argv, "@x"))
        MPI_Comm_split(world, me % 2, -me, &half);
    if (wanted(argc, argv, "@x")) {
        MPI_Comm ordered;
        MPI_Comm_split(world, me % 2, me, &ordered);
        MPI_Intercomm_create(ordered, 0, world, 1 - me % 2, 99, &cross);
        MPI_Comm_free(&ordered);
    }
    if (wanted(argc, argv, "bsend"))
        MPI_Buffer_attach(buffer, sizeof buffer);
    run(me + first < argc ? argv[me + first] : "", seed, rounds);
    end_requests();
    printf("%d .\n", me);
    MPI_Comm *made[] = {&twin, &half, &cross};
    for (int i = 0; i < 3; i++)
        if (*made[i] && *made[i] != MPI_COMM_NULL)
            MPI_Comm_free(made[i]);
    MPI_Finalize();
    return 0;
}
