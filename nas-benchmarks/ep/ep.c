/*
 * EP, "embarrassingly parallel": how fast the ranks compute when they hardly
 * talk to each other.
 *
 * The benchmark makes 2^m pairs of random numbers, turns them into Gaussian
 * deviates by the polar method of Marsaglia and counts them by square rings:
 * ring l holds the pairs with l <= max(|X|, |Y|) < l + 1. The ranks share the
 * pairs in batches of 2^16; every batch starts at a known place of the random
 * stream, so the result does not depend on which rank does it. At the end three
 * Allreduce add up the results and one finds the longest time.
 *
 * Sources: NASA report NAS-95-020, section 2.2 (the problem); the rule of
 * verification (sums of absolute values and the number of pairs, to a relative
 * error of 1e-8) is that of NPB 3.4.2.
 *
 * Usage: smpirun -platform P -np N ./ep CLASS      N from 1 to 2^(m-16)
 */
#include "../common/random.h"
#include "../common/report.h"

#include <math.h>
#include <string.h>

#define SEED UINT64_C(271828183)
#define BATCH_LOG2 16
#define RINGS 10
#define TOLERANCE 1e-8

struct problem {
    char name;
    int pairs_log2;          /* m */
    double sum_x, sum_y;     /* expected sums of |X| and |Y| */
    double accepted;         /* expected number of Gaussian pairs */
};

static const struct problem problems[] = {
    {'S', 24, 1.051299420395306e+07, 1.051517131857535e+07, 13176389},
    {'W', 25, 2.102505525182392e+07, 2.103162209578822e+07, 26354769},
    {'A', 28, 1.682235632304711e+08, 1.682195123368299e+08, 210832767},
    {'B', 30, 6.728927543423024e+08, 6.728951822504275e+08, 843345606},
};

struct tally {
    double sums[2];      /* of |X| and of |Y| */
    double rings[RINGS]; /* how many pairs fell into each ring; doubles count exactly up to 2^53 */
};

static const struct problem *find_problem(char name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name)
            return &problems[i];
    refuse("unknown class '%c': expected S, W, A or B", name);
    return NULL;
}

/* Makes the pairs of one batch and adds them to the tally. */
static void tally_batch(long batch, struct tally *tally)
{
    const long pairs = 1L << BATCH_LOG2;
    uint64_t stream = random_jump(SEED, 2 * (uint64_t)pairs * (uint64_t)batch);

    for (long pair = 0; pair < pairs; pair++) {
        /* A point of the square around the origin; the ones outside the unit circle are rejected. */
        double u = 2 * random_next(&stream) - 1;
        double v = 2 * random_next(&stream) - 1;
        double radius2 = u * u + v * v;
        if (radius2 > 1)
            continue;

        double scale = sqrt(-2 * log(radius2) / radius2);
        double x = fabs(u * scale);
        double y = fabs(v * scale);
        tally->rings[(int)fmax(x, y)] += 1;
        tally->sums[0] += x;
        tally->sums[1] += y;
    }
}

/* Does this rank's share of the batches. The first `batches % ranks` ranks do one more than the others. */
static void tally_share(long batches, int rank, int ranks, struct tally *tally)
{
    long share = batches / ranks;
    long extra = batches % ranks;
    long first = rank * share + (rank < extra ? rank : extra);
    long last = first + share + (rank < extra ? 1 : 0);

    for (long batch = first; batch < last; batch++)
        tally_batch(batch, tally);
}

static int close_to(double value, double expected)
{
    /* Written so that a value that is not a number fails. */
    return fabs((value - expected) / expected) <= TOLERANCE;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    struct tally mine, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const struct problem *problem = find_problem(class_argument(argc, argv, 1, "ep CLASS"));
    const long batches = 1L << (problem->pairs_log2 - BATCH_LOG2);
    if (ranks > batches)
        refuse("EP class %c can use at most %ld ranks, found %d", problem->name, batches, ranks);
    if (rank == 0)
        printf("EP class %c: 2^%d pairs of random numbers on %d ranks\n", problem->name,
               problem->pairs_log2, ranks);

    memset(&mine, 0, sizeof mine);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    tally_share(batches, rank, ranks, &mine);
    MPI_Allreduce(&mine.sums[0], &all.sums[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine.sums[1], &all.sums[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine.rings, all.rings, RINGS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    double accepted = 0;
    for (int ring = 0; ring < RINGS; ring++)
        accepted += all.rings[ring];
    int verified = accepted == problem->accepted && close_to(all.sums[0], problem->sum_x) &&
                   close_to(all.sums[1], problem->sum_y);

    if (rank == 0) {
        char size[32];
        printf("Gaussian pairs: %.0f\nSums of |X| and |Y|: %.15e %.15e\nPairs by ring:\n", accepted,
               all.sums[0], all.sums[1]);
        for (int ring = 0; ring < RINGS; ring++)
            printf("%3d %15.0f\n", ring, all.rings[ring]);
        snprintf(size, sizeof size, "%.0f", ldexp(1, problem->pairs_log2 + 1));
        print_report(&(struct report){"EP", problem->name, size, 0, seconds, ranks, ranks,
                                      ldexp(1, problem->pairs_log2 + 1) * 1e-6,
                                      "Random numbers generated", verified});
    }
    MPI_Finalize();
    return verified ? 0 : 1;
}
