/*
 * IS, "integer sort": how fast the ranks exchange many small integers among
 * all of them.
 *
 * Every rank holds an equal part of a sequence of integer keys. The task is to
 * find the rank of every key, that is its place in the sorted sequence, ten
 * times over, with two keys changed before each time:
 *
 *   1. every rank counts its keys by bucket (the leading bits of the key);
 *      an Allreduce gives the size of every bucket over all ranks;
 *   2. the buckets are dealt out in order, so that each rank gets about the
 *      same number of keys; an Alltoall tells how many keys come from where,
 *      and an Alltoallv brings them;
 *   3. every rank counts how often each value occurs among the keys that it
 *      got; a running sum of these counts is the keys' ranks.
 *
 * Five test keys are compared with known ranks each time. After the last
 * ranking the keys are put in order, each rank checks its own and, with one
 * message from its left neighbour, the border between them.
 *
 * Sources: NASA report NAS-95-020, section 2.6; the test keys and their ranks
 * are the published values of NPB 3.4.
 *
 * Usage: smpirun -platform P -np N ./is CLASS
 * N is a power of two, at most 128 for class S and 1024 for the others.
 */
#include "../common/random.h"
#include "../common/report.h"

#include <string.h>

#define SEED UINT64_C(314159265)
#define ITERATIONS 10
#define TEST_KEYS 5
#define DRAWS_PER_KEY 4

struct problem {
    char name;
    int keys_log2;    /* number of keys */
    int values_log2;  /* keys are smaller than 2^this */
    int buckets_log2;
    int max_ranks;
    long test_index[TEST_KEYS]; /* positions of the test keys in the whole sequence */
    long test_rank[TEST_KEYS];  /* their expected rank ... */
    int drift[TEST_KEYS];       /* ... plus this times the number of the iteration ... */
    int shift[TEST_KEYS];       /* ... plus this */
};

static const struct problem problems[] = {
    {'S', 16, 11, 9, 128,
     {48427, 17148, 23627, 62548, 4431},
     {0, 18, 346, 64917, 65463},
     {1, 1, 1, -1, -1}, {0, 0, 0, 0, 0}},
    {'W', 20, 16, 10, 1024,
     {357773, 934767, 875723, 898999, 404505},
     {1249, 11698, 1039987, 1043896, 1048018},
     {1, 1, -1, -1, -1}, {-2, -2, 0, 0, 0}},
    {'A', 23, 19, 10, 1024,
     {2112377, 662041, 5336171, 3642833, 4250760},
     {104, 17523, 123928, 8288932, 8388264},
     {1, 1, 1, -1, -1}, {-1, -1, -1, 1, 1}},
    {'B', 25, 21, 10, 1024,
     {41869, 812306, 5102857, 18232239, 26860214},
     {33422937, 10244, 59149, 33135281, 99},
     {-1, 1, 1, -1, 1}, {0, 0, 0, 0, 0}},
};

/* All a rank works with. Keys and counts are int: there are at most 2^25 keys. */
struct sorter {
    const struct problem *problem;
    int rank, ranks;
    int buckets;
    int key_count;   /* keys that this rank starts with */
    int *keys;       /* ... in the order in which they were drawn */
    int *by_bucket;  /* ... ordered by bucket, ready to be sent */

    int *summary;    /* the buckets' sizes here, then the test keys that are here (else 0) */
    int *totals;     /* the sum of all ranks' summaries */
    int *send_counts, *send_starts, *receive_counts, *receive_starts; /* one per rank */

    int *received;   /* the keys of this rank's buckets, from everywhere */
    int received_count, received_capacity;
    int first_value, value_count; /* the range of values of this rank's buckets */
    int *ranking;    /* per value of that range: how many received keys are smaller or equal */
    long smaller_keys;            /* how many keys belong to lower ranks */

    int passed;      /* test keys and border checks that were right */
};

static const struct problem *find_problem(char name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name)
            return &problems[i];
    refuse("unknown class '%c': expected S, W, A or B", name);
    return NULL;
}

static int *allocate(size_t count)
{
    int *array = calloc(count ? count : 1, sizeof *array);
    if (array == NULL) {
        fprintf(stderr, "error: no memory for %zu integers\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return array;
}

/* Draws this rank's part of the keys: each is the mean of four random numbers, scaled. */
static void draw_keys(struct sorter *sorter)
{
    double scale = (double)(1 << sorter->problem->values_log2) / DRAWS_PER_KEY;
    uint64_t first = (uint64_t)sorter->rank * (uint64_t)sorter->key_count * DRAWS_PER_KEY;
    uint64_t stream = random_jump(SEED, first);

    for (int i = 0; i < sorter->key_count; i++) {
        double sum = 0;
        for (int draw = 0; draw < DRAWS_PER_KEY; draw++)
            sum += random_next(&stream);
        sorter->keys[i] = (int)(scale * sum);
    }
}

static void prepare(struct sorter *sorter, const struct problem *problem)
{
    memset(sorter, 0, sizeof *sorter);
    MPI_Comm_rank(MPI_COMM_WORLD, &sorter->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &sorter->ranks);
    size_t ranks = (size_t)sorter->ranks;

    sorter->problem = problem;
    sorter->buckets = 1 << problem->buckets_log2;
    sorter->key_count = (1 << problem->keys_log2) / sorter->ranks;
    sorter->keys = allocate((size_t)sorter->key_count);
    sorter->by_bucket = allocate((size_t)sorter->key_count);
    sorter->summary = allocate((size_t)sorter->buckets + TEST_KEYS);
    sorter->totals = allocate((size_t)sorter->buckets + TEST_KEYS);
    sorter->send_counts = allocate(ranks);
    sorter->send_starts = allocate(ranks);
    sorter->receive_counts = allocate(ranks);
    sorter->receive_starts = allocate(ranks);
    sorter->ranking = allocate((size_t)1 << problem->values_log2);
    draw_keys(sorter);
}

static void release(struct sorter *sorter)
{
    free(sorter->keys);
    free(sorter->by_bucket);
    free(sorter->summary);
    free(sorter->totals);
    free(sorter->send_counts);
    free(sorter->send_starts);
    free(sorter->receive_counts);
    free(sorter->receive_starts);
    free(sorter->ranking);
    free(sorter->received);
}

/* Step 1: orders this rank's keys by bucket and learns the size of every bucket over all ranks. */
static void count_buckets(struct sorter *sorter)
{
    const struct problem *problem = sorter->problem;
    int low_bits = problem->values_log2 - problem->buckets_log2;
    int *sizes = sorter->summary;
    int *test_keys = sorter->summary + sorter->buckets;

    memset(sizes, 0, (size_t)(sorter->buckets + TEST_KEYS) * sizeof *sizes);
    for (int test = 0; test < TEST_KEYS; test++) {
        long here = problem->test_index[test] - (long)sorter->rank * sorter->key_count;
        if (here >= 0 && here < sorter->key_count)
            test_keys[test] = sorter->keys[here];
    }
    for (int i = 0; i < sorter->key_count; i++)
        sizes[sorter->keys[i] >> low_bits]++;

    int *next = allocate((size_t)sorter->buckets); /* where the next key of a bucket goes */
    for (int bucket = 1; bucket < sorter->buckets; bucket++)
        next[bucket] = next[bucket - 1] + sizes[bucket - 1];
    for (int i = 0; i < sorter->key_count; i++)
        sorter->by_bucket[next[sorter->keys[i] >> low_bits]++] = sorter->keys[i];
    free(next);

    MPI_Allreduce(sorter->summary, sorter->totals, sorter->buckets + TEST_KEYS, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
}

/*
 * Step 2, first half: deals out the buckets. Rank r takes buckets, in order, until ranks 0 to r
 * together hold their share of the keys; the last rank takes what is left. Notes how many keys go
 * to each rank, and this rank's own range of values.
 */
static void deal_buckets(struct sorter *sorter)
{
    int low_bits = sorter->problem->values_log2 - sorter->problem->buckets_log2;
    int bucket = 0;
    long dealt = 0;

    for (int taker = 0; taker < sorter->ranks; taker++) {
        long goal = (long)(taker + 1) * sorter->key_count;
        int first_bucket = bucket;
        int count = 0;
        long before = dealt;

        while (bucket < sorter->buckets && (dealt < goal || taker == sorter->ranks - 1)) {
            count += sorter->summary[bucket];
            dealt += sorter->totals[bucket];
            bucket++;
        }
        sorter->send_counts[taker] = count;
        if (taker == sorter->rank) {
            sorter->smaller_keys = before;
            sorter->first_value = first_bucket << low_bits;
            sorter->value_count = (bucket - first_bucket) << low_bits;
        }
    }
}

/* The sum of the counts; `starts` gets the running sums before each. */
static int running_sum(const int *counts, int *starts, int length)
{
    int sum = 0;
    for (int i = 0; i < length; i++) {
        starts[i] = sum;
        sum += counts[i];
    }
    return sum;
}

/* Step 2, second half: sends every key to the rank that has its bucket. */
static void exchange_keys(struct sorter *sorter)
{
    MPI_Alltoall(sorter->send_counts, 1, MPI_INT, sorter->receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    running_sum(sorter->send_counts, sorter->send_starts, sorter->ranks);
    sorter->received_count =
        running_sum(sorter->receive_counts, sorter->receive_starts, sorter->ranks);
    if (sorter->received_count > sorter->received_capacity || sorter->received == NULL) {
        free(sorter->received);
        sorter->received = allocate((size_t)sorter->received_count);
        sorter->received_capacity = sorter->received_count;
    }
    MPI_Alltoallv(sorter->by_bucket, sorter->send_counts, sorter->send_starts, MPI_INT,
                  sorter->received, sorter->receive_counts, sorter->receive_starts, MPI_INT,
                  MPI_COMM_WORLD);
}

/* Step 3: how many received keys are smaller than or equal to each value of this rank's range. */
static void rank_keys(struct sorter *sorter)
{
    memset(sorter->ranking, 0, (size_t)sorter->value_count * sizeof *sorter->ranking);
    for (int i = 0; i < sorter->received_count; i++)
        sorter->ranking[sorter->received[i] - sorter->first_value]++;
    for (int value = 1; value < sorter->value_count; value++)
        sorter->ranking[value] += sorter->ranking[value - 1];
}

/* Compares the ranks of the test keys with the published ones, each on the rank that has its bucket. */
static void check_test_keys(struct sorter *sorter, int iteration)
{
    const struct problem *problem = sorter->problem;
    const int *test_keys = sorter->totals + sorter->buckets;

    for (int test = 0; test < TEST_KEYS; test++) {
        int value = test_keys[test] - sorter->first_value;
        if (value < 0 || value >= sorter->value_count)
            continue;
        long expected =
            problem->test_rank[test] + (long)problem->drift[test] * iteration + problem->shift[test];
        long found = sorter->smaller_keys + (value > 0 ? sorter->ranking[value - 1] : 0);
        if (found == expected)
            sorter->passed++;
        else
            printf("iteration %d: test key %d has rank %ld, expected %ld\n", iteration, test, found,
                   expected);
    }
}

/* One complete ranking of all keys. */
static void rank_once(struct sorter *sorter, int iteration)
{
    if (sorter->rank == 0) {
        sorter->keys[iteration] = iteration;
        sorter->keys[iteration + ITERATIONS] = (1 << sorter->problem->values_log2) - iteration;
    }
    count_buckets(sorter);
    deal_buckets(sorter);
    exchange_keys(sorter);
    rank_keys(sorter);
    check_test_keys(sorter, iteration);
}

/* Puts the received keys in order by their ranks; counts how many are smaller than the one before. */
static long misplaced_keys(struct sorter *sorter, int *largest)
{
    int *sorted = allocate((size_t)sorter->received_count);
    long misplaced = 0;

    /* Taking a rank away for each key placed gives equal keys different places. */
    for (int i = 0; i < sorter->received_count; i++)
        sorted[--sorter->ranking[sorter->received[i] - sorter->first_value]] = sorter->received[i];
    for (int i = 1; i < sorter->received_count; i++)
        if (sorted[i - 1] > sorted[i])
            misplaced++;

    int from_left = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (sorter->rank > 0)
        MPI_Irecv(&from_left, 1, MPI_INT, sorter->rank - 1, 0, MPI_COMM_WORLD, &request);
    if (sorter->received_count > 0)
        *largest = sorted[sorter->received_count - 1];
    else {
        /* A rank without keys hands on what its neighbour said. */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        *largest = from_left;
    }
    if (sorter->rank < sorter->ranks - 1)
        MPI_Send(largest, 1, MPI_INT, sorter->rank + 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sorter->received_count > 0 && from_left > sorted[0])
        misplaced++;
    free(sorted);
    return misplaced;
}

static void check_order(struct sorter *sorter)
{
    int largest;
    long misplaced = misplaced_keys(sorter, &largest);

    if (misplaced == 0)
        sorter->passed++;
    else
        printf("rank %d: %ld keys out of order\n", sorter->rank, misplaced);
}

int main(int argc, char **argv)
{
    struct sorter sorter;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct problem *problem = find_problem(class_argument(argc, argv, 1, "is CLASS"));
    if ((ranks & (ranks - 1)) != 0 || ranks > problem->max_ranks)
        refuse("IS class %c needs a power of two of ranks, at most %d; found %d", problem->name,
               problem->max_ranks, ranks);

    prepare(&sorter, problem);
    if (sorter.rank == 0)
        printf("IS class %c: 2^%d keys below 2^%d on %d ranks\n", problem->name, problem->keys_log2,
               problem->values_log2, ranks);

    /* One ranking ahead warms up caches and network; it counts neither in time nor in checks. */
    rank_once(&sorter, 1);
    sorter.passed = 0;

    double start = MPI_Wtime();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++)
        rank_once(&sorter, iteration);
    double seconds = MPI_Wtime() - start, longest = 0;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    check_order(&sorter);
    int passed = 0;
    MPI_Reduce(&sorter.passed, &passed, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    int verified = passed == TEST_KEYS * ITERATIONS + ranks;
    MPI_Bcast(&verified, 1, MPI_INT, 0, MPI_COMM_WORLD);

    if (sorter.rank == 0) {
        double keys = (double)(1L << problem->keys_log2);
        char size[32];
        snprintf(size, sizeof size, "%.0f", keys);
        print_report(&(struct report){"IS", problem->name, size, ITERATIONS, longest, ranks, ranks,
                                      keys * ITERATIONS * 1e-6, "keys ranked", verified});
    }
    release(&sorter);
    MPI_Finalize();
    return verified ? 0 : 1;
}
