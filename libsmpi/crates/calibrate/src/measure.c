/*
 * What a message costs under some MPI: the measuring program of `smpirun calibrate`.
 *
 * Two ranks. Rank 0 leads: it sends an order, both do what it says, rank 0 takes the time. Rank 1 follows orders until
 * it is told to stop. All samples are printed, one a line ("sample KIND BYTES SECONDS"); statistics and fits are made
 * by the crate around this file (smpi-calibrate).
 *
 * | kind    | one sample is                                                                              |
 * |---------|--------------------------------------------------------------------------------------------|
 * | oneway  | half a round trip, mean over a few in a row                                                |
 * | send    | one MPI_Send whose receive is posted already, mean over some in a row                      |
 * | isend   | one call of MPI_Isend, likewise                                                            |
 * | arrived | MPI_Wait for a message that has arrived while its receive was posted, likewise             |
 * | late    | MPI_Recv of a message that was sent long ago and had no receive, likewise                  |
 * | waits   | 1 if MPI_Send of this size waits for its receiver, else 0                                  |
 * | wtime, test, iprobe | one call that finds nothing                                                     |
 * | copy    | memcpy of these bytes                                                                      |
 * | flops   | BYTES floating-point operations of the kernel of docs/smpirun.md; "flops1" is rank 1's      |
 *
 * Sizes are random, one in each of equal parts of the logarithmic scale, and each pass takes them in another order, so
 * that neither a period of the machine nor powers of two favour some of them. Method: P.-N. Clauss et al., "Single Node
 * On-Line Simulation of MPI Applications with SMPI" (IPDPS 2011); A. Degomme et al., "Simulating MPI Applications: the
 * SMPI Approach" (IEEE TPDS 2017).
 *
 * Compiled with -DALONE it needs no MPI, and measures only the kernel on the machine where it runs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Rounds of the kernel in a sample; a round has 16 operations. */
enum { ROUNDS = 4000000, KERNEL_SAMPLES = 7 };

static volatile double sink;

/* Seconds of `ROUNDS` rounds: eight independent chains of multiply and add. */
static double kernel(double (*now)(void))
{
    double sum[8] = {0}, begin = now(), total = 0;

    for (long i = 0; i < ROUNDS; i++)
        for (int k = 0; k < 8; k++)
            sum[k] = sum[k] * 0.999 + k;
    for (int k = 0; k < 8; k++)
        total += sum[k];
    sink = total;
    return now() - begin;
}

#ifdef ALONE

static double processor_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(void)
{
    for (int i = 0; i < KERNEL_SAMPLES; i++)
        printf("sample flops %.0f %.9e\n", 16.0 * ROUNDS, kernel(processor_time));
    return 0;
}

#else

#include <mpi.h>
#include <unistd.h>

enum { MAX_SIZES = 400, ORDER_TAG = 1, READY_TAG = 2, DATA_TAG = 3, ROW = 8 };

/* What rank 1 is told to do. */
enum verb { PING, TAKE, GIVE, TAKE_LATE, COMPUTE, STOP };

struct order {
    int64_t verb, bytes, count;
    double delay_secs;
};

/* Messages of COLD bytes and more take turns in memory that no cache holds; smaller ones are where the last one was.
 * Programs have just computed what they send in small pieces, and have computed with much else since they last saw the
 * beginning of a large one. */
enum { COLD = 1 << 16, POOL = 1 << 26 };
static char *buffer;
static int64_t next_place;
static double clock_secs; /* what reading the clock adds to a sample */

/* Xorshift64*: the same sizes in every run. */
static uint64_t random_state = 88172645463325252u;

static double random_share(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (double)((random_state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

static void spin(double seconds)
{
    double end = MPI_Wtime() + seconds;

    while (MPI_Wtime() < end)
        ;
}

static char *place_for(int64_t bytes)
{
    char *place;

    if (bytes < COLD)
        return buffer;
    if (next_place + bytes > POOL)
        next_place = 0;
    place = buffer + next_place;
    next_place += bytes;
    return place;
}

static void give(int64_t bytes, int peer)
{
    MPI_Send(place_for(bytes), (int)bytes, MPI_BYTE, peer, DATA_TAG, MPI_COMM_WORLD);
}

static void take(int64_t bytes, int peer)
{
    MPI_Recv(place_for(bytes), (int)bytes, MPI_BYTE, peer, DATA_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void say_ready(int peer)
{
    MPI_Send(NULL, 0, MPI_BYTE, peer, READY_TAG, MPI_COMM_WORLD);
}

static void wait_ready(int peer)
{
    MPI_Recv(NULL, 0, MPI_BYTE, peer, READY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell(enum verb verb, int64_t bytes, int64_t count, double delay_secs)
{
    struct order order = {verb, bytes, count, delay_secs};

    MPI_Send(&order, sizeof order, MPI_BYTE, 1, ORDER_TAG, MPI_COMM_WORLD);
}

static void sample(const char *kind, int64_t bytes, double value)
{
    printf("sample %s %lld %.9e\n", kind, (long long)bytes, value > 0 ? value : 0.0);
}

/* A sample of what was done `count` times between two readings of the clock. */
static void timed(const char *kind, int64_t bytes, double begin, double end, int count)
{
    sample(kind, bytes, (end - begin - clock_secs) / count);
}

static double half_round_trip(int64_t bytes, int64_t count)
{
    double begin;

    tell(PING, bytes, count, 0);
    wait_ready(1);
    begin = MPI_Wtime();
    for (int64_t i = 0; i < count; i++) {
        give(bytes, 1);
        take(bytes, 1);
    }
    return (MPI_Wtime() - begin - clock_secs) / (2.0 * (double)count);
}

/* Whether MPI_Send waits until the receiver asks for the message: then it takes at least the receiver's delay. Two of
 * three attempts decide, since another process may have taken the processor. */
static int waits_for_receiver(int64_t bytes)
{
    double usual = half_round_trip(bytes, 1), delay = 0.002 + 8 * usual;
    int waiting = 0;

    for (int i = 0; i < 3; i++) {
        double begin, end;

        tell(TAKE_LATE, bytes, 1, delay);
        wait_ready(1);
        begin = MPI_Wtime();
        give(bytes, 1);
        end = MPI_Wtime();
        waiting += end - begin > delay / 2;
    }
    return waiting >= 2;
}

/* The size from which on MPI_Send waits, or `largest + 1`. By halving, since larger messages do not wait less. */
static int64_t first_waiting_size(int64_t largest)
{
    int64_t returns = -1, waits = largest + 1;

    while (waits - returns > 1) {
        /* The largest first: then powers of two are met exactly. */
        int64_t size = waits == largest + 1 && returns < 0 ? largest : returns + (waits - returns) / 2;
        int is_waiting = waits_for_receiver(size);

        sample("waits", size, is_waiting);
        if (is_waiting)
            waits = size;
        else
            returns = size;
    }
    return waits;
}

/* How many messages of a size are measured in a row: few enough for the buffers of any MPI. */
static int row_of(int64_t bytes)
{
    return bytes <= 2048 ? ROW : bytes <= 8192 ? 2 : 1;
}

static void measure_sending(int64_t bytes, int returns_at_once)
{
    int count = row_of(bytes);
    double begin, end;
    MPI_Request requests[ROW];

    if (returns_at_once) {
        tell(TAKE, bytes, count, 0);
        wait_ready(1);
        begin = MPI_Wtime();
        for (int i = 0; i < count; i++)
            give(bytes, 1);
        end = MPI_Wtime();
        timed("send", bytes, begin, end, count);
    }
    tell(TAKE, bytes, count, 0);
    wait_ready(1);
    begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        MPI_Isend(place_for(bytes), (int)bytes, MPI_BYTE, 1, DATA_TAG, MPI_COMM_WORLD, &requests[i]);
    end = MPI_Wtime();
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    timed("isend", bytes, begin, end, count);
}

static void measure_receiving(int64_t bytes, double usual)
{
    int count = row_of(bytes);
    double begin, end, delay = 20e-6 + 4 * count * usual;
    MPI_Request requests[ROW];

    for (int i = 0; i < count; i++)
        MPI_Irecv(place_for(bytes), (int)bytes, MPI_BYTE, 1, DATA_TAG, MPI_COMM_WORLD, &requests[i]);
    tell(GIVE, bytes, count, 0);
    wait_ready(1);
    spin(delay);
    begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    end = MPI_Wtime();
    timed("arrived", bytes, begin, end, count);

    tell(GIVE, bytes, count, 0);
    wait_ready(1);
    spin(delay);
    begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        take(bytes, 1);
    end = MPI_Wtime();
    timed("late", bytes, begin, end, count);
}

/* Polls that find nothing. Each is followed by one that succeeds, because a simulated poll takes longer after others
 * that failed. */
static void measure_polls(double usual)
{
    MPI_Request request;
    double begin, end;
    int flag;

    begin = MPI_Wtime();
    end = MPI_Wtime();
    sample("wtime", 0, end - begin);
    MPI_Irecv(buffer, 1, MPI_BYTE, 1, DATA_TAG, MPI_COMM_WORLD, &request);
    begin = MPI_Wtime();
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    end = MPI_Wtime();
    timed("test", 0, begin, end, 1);
    tell(GIVE, 1, 1, 0);
    wait_ready(1);
    spin(20e-6 + 4 * usual);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);

    begin = MPI_Wtime();
    MPI_Iprobe(1, DATA_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    end = MPI_Wtime();
    timed("iprobe", 0, begin, end, 1);
    tell(GIVE, 1, 1, 0);
    wait_ready(1);
    while (!flag)
        MPI_Iprobe(1, DATA_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    take(1, 1);
}

/* Both ranks at once, as the ranks of a program compute. */
static void measure_machine(int64_t largest)
{
    for (int i = 0; i < KERNEL_SAMPLES; i++) {
        double mine, other;

        tell(COMPUTE, 0, 1, 0);
        mine = kernel(MPI_Wtime);
        MPI_Recv(&other, 1, MPI_DOUBLE, 1, DATA_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sample("flops", 16 * (int64_t)ROUNDS, mine);
        sample("flops1", 16 * (int64_t)ROUNDS, other);
    }
    for (int i = 0; i < 7 && largest > 1; i++) {
        double begin = MPI_Wtime();

        memcpy(buffer, buffer + largest / 2, (size_t)(largest / 2));
        timed("copy", largest / 2, begin, MPI_Wtime(), 1);
    }
}

/* Zero, and one random size in each part of the logarithmic scale up to `largest`, without repetitions. */
static int choose_sizes(int64_t *sizes, int wanted, int64_t largest)
{
    int count = 1;
    double octaves = 0;

    sizes[0] = 0;
    while ((double)((int64_t)1 << (int)(octaves + 1)) <= (double)largest)
        octaves++;
    for (int i = 0; i < wanted; i++) {
        double place = octaves * (i + random_share()) / wanted, size = 1;

        for (; place >= 1; place--)
            size *= 2;
        /* Linear inside an octave: close enough to logarithmic, and needs no libm. */
        size *= 1 + place;
        if ((int64_t)size > sizes[count - 1])
            sizes[count++] = (int64_t)size;
    }
    if (sizes[count - 1] < largest)
        sizes[count++] = largest;
    return count;
}

static void shuffle(int *order, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int other = (int)(random_share() * (i + 1)), keep = order[i];

        order[i] = order[other];
        order[other] = keep;
    }
}

/* Passes over all sizes until the time is over; three at least. */
static void measure_messages(const int64_t *sizes, int count, int64_t waiting_from, double budget_secs, int max_passes)
{
    static int order[MAX_SIZES + 2];
    double end = MPI_Wtime() + budget_secs;

    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int pass = 0; pass < max_passes && (pass < 3 || MPI_Wtime() < end); pass++) {
        shuffle(order, count);
        for (int i = 0; i < count; i++) {
            int64_t bytes = sizes[order[i]];
            double first = half_round_trip(bytes, 1), batch = 30e-6 / (first > 1e-7 ? first : 1e-7);
            int64_t repetitions = batch < 1 ? 1 : batch > 100 ? 100 : (int64_t)batch;

            /* The first round trip warms caches up, for this size. */
            sample("oneway", bytes, half_round_trip(bytes, repetitions));
            measure_sending(bytes, bytes < waiting_from);
            if (bytes < waiting_from)
                measure_receiving(bytes, first);
        }
    }
}

static void lead(int64_t largest, int wanted, double budget_secs, int max_passes)
{
    static int64_t sizes[MAX_SIZES + 2];
    int count = choose_sizes(sizes, wanted, largest);
    int64_t waiting_from;

    for (int i = 0; i < 100; i++) {
        double begin = MPI_Wtime(), cost = MPI_Wtime() - begin;

        if (i == 0 || cost < clock_secs)
            clock_secs = cost;
    }
    for (int i = 0; i < 20; i++)
        half_round_trip(1 + largest / 64, 10);
    measure_machine(largest);
    for (int i = 0; i < 50; i++)
        measure_polls(half_round_trip(1, 1));
    waiting_from = first_waiting_size(largest);
    printf("waiting-from %lld\n", (long long)waiting_from);
    measure_messages(sizes, count, waiting_from, budget_secs, max_passes);
    tell(STOP, 0, 0, 0);
    printf("end\n");
}

static void follow(void)
{
    for (;;) {
        struct order order;
        MPI_Request requests[ROW];
        double seconds;

        MPI_Recv(&order, sizeof order, MPI_BYTE, 0, ORDER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        switch (order.verb) {
        case PING:
            say_ready(0);
            for (int64_t i = 0; i < order.count; i++) {
                take(order.bytes, 0);
                give(order.bytes, 0);
            }
            break;
        case TAKE:
            for (int i = 0; i < order.count; i++)
                MPI_Irecv(place_for(order.bytes), (int)order.bytes, MPI_BYTE, 0, DATA_TAG, MPI_COMM_WORLD, &requests[i]);
            say_ready(0);
            MPI_Waitall((int)order.count, requests, MPI_STATUSES_IGNORE);
            break;
        case TAKE_LATE:
            say_ready(0);
            spin(order.delay_secs);
            take(order.bytes, 0);
            break;
        case GIVE:
            say_ready(0);
            for (int64_t i = 0; i < order.count; i++)
                give(order.bytes, 0);
            break;
        case COMPUTE:
            seconds = kernel(MPI_Wtime);
            MPI_Send(&seconds, 1, MPI_DOUBLE, 0, DATA_TAG, MPI_COMM_WORLD);
            break;
        default:
            return;
        }
    }
}

/* Arguments: largest message in bytes, number of sizes, seconds for messages, passes at most. */
int main(int argc, char **argv)
{
    char names[2][MPI_MAX_PROCESSOR_NAME] = {"", ""}, version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int rank, ranks, length;
    int64_t largest = argc > 1 ? atoll(argv[1]) : 1 << 24;
    int wanted = argc > 2 ? atoi(argv[2]) : 200, max_passes = argc > 4 ? atoi(argv[4]) : 25;
    double budget_secs = argc > 3 ? atof(argv[3]) : 20;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    if (rank == 0)
        printf("library %s\nranks %d\n", version, ranks);
    fflush(stdout);
    if (ranks != 2) {
        MPI_Finalize();
        return 0;
    }
    buffer = malloc(POOL + (size_t)largest);
    if (buffer == NULL) {
        fprintf(stderr, "no memory for messages of %lld bytes\n", (long long)largest);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(buffer, 1, POOL + (size_t)largest);
    MPI_Get_processor_name(names[rank], &length);
    if (rank == 1) {
        MPI_Send(names[1], sizeof names[1], MPI_CHAR, 0, READY_TAG, MPI_COMM_WORLD);
        follow();
    } else {
        MPI_Recv(names[1], sizeof names[1], MPI_CHAR, 1, READY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("host %s\nhost %s\ncores %ld\n", names[0], names[1], sysconf(_SC_NPROCESSORS_ONLN));
        lead(largest, wanted < MAX_SIZES ? wanted : MAX_SIZES, budget_secs, max_passes);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
#endif
