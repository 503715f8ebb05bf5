/*
 * DT, "data traffic": how fast large arrays flow through a graph of ranks.
 *
 * Every node of a directed graph is a rank. Sources make arrays of samples and
 * send them along their arcs; inner nodes merge what comes in and send it on;
 * sinks condense what comes in to one number and send it to rank 0, which adds
 * the numbers up to the checksum. There are three graphs:
 *
 *   BH, black hole    a tree with the sources as leaves, flowing to one sink;
 *   WH, white hole    the same tree the other way round;
 *   SH, shuffle       a butterfly: in every layer node i gets from the two nodes
 *                     of the layer before whose numbers differ from i in at most
 *                     one bit.
 *
 * The nodes are numbered so that all arcs go from lower to higher numbers;
 * therefore plain blocking sends and receives cannot deadlock.
 *
 * Sources: NASA report NAS-02-007 (the graphs), and the checksums of NPB 3.4.2.
 * These checksums hold only for its exact integer and floating point steps,
 * which are the reason for the roundings below. Those of class B are compared
 * too, though NPB itself does not; they hold for all three graphs.
 *
 * Usage: smpirun -platform P -np N ./dt GRAPH CLASS
 * N is at least the number of nodes (12 for SH class S); surplus ranks idle.
 */
#include "../common/random.h"
#include "../common/report.h"

#include <math.h>
#include <string.h>

#define SEED UINT64_C(314159265)
#define FIELDS 4 /* numbers in a sample */
#define FAN 4    /* children of a node in the trees */
#define TOLERANCE 1e-8

enum shape { BLACK_HOLE, WHITE_HOLE, SHUFFLE };
static const char *const shape_names[] = {"BH", "WH", "SH"};

struct problem {
    char name;
    int samples;       /* mean number of samples of a source */
    int spread;        /* and by how much it varies */
    int ends;          /* sources of BH, sinks of WH, width of SH */
    double checksum[3]; /* expected, by shape */
};

static const struct problem problems[] = {
    {'S', 1728, 128, 4, {30892725.0, 67349758.0, 58875767.0}},
    {'W', 13824, 256, 8, {4102461.0, 204280762.0, 186944764.0}},
    {'A', 110592, 512, 16, {17809491.0, 1289925229.0, 610856482.0}},
    {'B', 884736, 1024, 32, {4317114.0, 7877279917.0, 1836863082.0}},
};

struct arc {
    int from, to;
};

struct graph {
    int nodes, arcs;
    struct arc *arc; /* in the order in which a node merges what comes in */
};

/* The data that flow: `length` numbers, FIELDS of them a sample. */
struct samples {
    int length;
    double *values;
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "error: no memory for %zu elements of %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* ------ graphs ------ */

static void add_arc(struct graph *graph, int from, int to)
{
    graph->arc[graph->arcs].from = from;
    graph->arc[graph->arcs].to = to;
    graph->arcs++;
}

/* A tree that flows from `leaves` leaves to one root: each layer has a FANth of the nodes of the last. */
static void build_tree(struct graph *graph, int leaves)
{
    int first = 0, width = leaves; /* of the layer before */

    graph->nodes = leaves;
    while (width > 1) {
        int above = (width + FAN - 1) / FAN;
        for (int child = 0; child < width; child++)
            add_arc(graph, first + child, graph->nodes + child / FAN);
        first += width;
        graph->nodes += above;
        width = above;
    }
}

/* Turns all arcs round, and the numbers of the nodes with them so that they still rise along arcs. */
static void turn_round(struct graph *graph)
{
    for (int i = 0; i < graph->arcs; i++) {
        struct arc *arc = &graph->arc[i];
        int from = graph->nodes - 1 - arc->to;
        arc->to = graph->nodes - 1 - arc->from;
        arc->from = from;
    }
}

/* A butterfly of log2(width) + 1 layers. */
static void build_shuffle(struct graph *graph, int width)
{
    int first = 0; /* of the layer before */

    for (int bit = 1; bit < width; bit *= 2) {
        for (int i = 0; i < width; i++) {
            add_arc(graph, first + (i & ~bit), first + width + i);
            add_arc(graph, first + (i | bit), first + width + i);
        }
        first += width;
    }
    graph->nodes = first + width;
}

static struct graph build_graph(enum shape shape, int ends)
{
    struct graph graph = {0, 0, NULL};
    int layers = 1;

    for (int width = 1; width < ends; width *= 2)
        layers++;
    graph.arc = allocate((size_t)(2 * ends * layers), sizeof *graph.arc); /* enough for each shape */
    if (shape == SHUFFLE)
        build_shuffle(&graph, ends);
    else
        build_tree(&graph, ends);
    if (shape == WHITE_HOLE)
        turn_round(&graph);
    return graph;
}

/* How many arcs lead into the node. */
static int arcs_into(const struct graph *graph, int node)
{
    int count = 0;
    for (int i = 0; i < graph->arcs; i++)
        count += graph->arc[i].to == node;
    return count;
}

static int is_sink(const struct graph *graph, int node)
{
    for (int i = 0; i < graph->arcs; i++)
        if (graph->arc[i].from == node)
            return 0;
    return 1;
}

/* ------ sources ------ */

/* a * b in 32-bit two's complement: the reference values come from products that overflow. */
static int32_t wrapping_product(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

/* base^exponent modulo `modulus`, exponent at least 1. May be negative where a product wrapped. */
static int32_t power_modulo(int32_t base, int64_t exponent, int32_t modulus)
{
    int32_t result = 1;

    for (; exponent > 1; exponent /= 2) {
        if (exponent % 2 != 0)
            result = wrapping_product(result, base) % modulus;
        base = wrapping_product(base, base) % modulus;
    }
    return wrapping_product(result, base) % modulus;
}

/* How many samples a source makes: mean - spread to mean + spread, by a hash of its number. */
static int sample_count(const struct problem *problem, int node)
{
    double random = (double)((SEED * (uint64_t)(2 * node + 1)) & RANDOM_MASK) * 0x1p-46;
    int32_t hash = power_modulo((int32_t)(1 / random) * 'S', 2 * node + 1, 2 * problem->spread);

    return problem->samples - problem->spread + abs(hash);
}

/* Every field of the samples runs through the powers of a generator modulo a prime. */
static struct samples make_samples(const struct problem *problem, int node)
{
    static const int32_t generators[FIELDS] = {2, 2, 2, 5};
    static const int32_t primes[FIELDS] = {421, 419, 1427, 3527};
    int32_t state[FIELDS];
    struct samples samples;

    samples.length = sample_count(problem, node) * FIELDS;
    samples.values = allocate((size_t)samples.length, sizeof *samples.values);
    int64_t exponent = (int64_t)samples.length * (node + 1) % 3141592;
    for (int field = 0; field < FIELDS; field++)
        state[field] = exponent > 0 ? power_modulo(generators[field], exponent, primes[field]) : 1;
    for (int i = 0; i < samples.length; i += FIELDS)
        for (int field = 0; field < FIELDS; field++) {
            state[field] = state[field] * generators[field] % primes[field];
            samples.values[i + field] = state[field];
        }
    return samples;
}

/* ------ inner nodes ------ */

/* Stretches the samples to `length` numbers: each is spread over the places that it maps to. The ratio of the
 * lengths is rounded down, and the ends stay ends. */
static void stretch(struct samples *samples, int length)
{
    double *values = allocate((size_t)length, sizeof *values);
    int ratio = length / samples->length;

    for (int64_t i = 1; i < samples->length - 1; i++) {
        int64_t low = (int64_t)(0.5 * (double)(2 * i - 1) * ratio);
        int64_t high = (int64_t)(0.5 * (double)(2 * i + 1) * ratio);
        double share = samples->values[i] / (double)(high - low + 1);
        for (int64_t j = low; j <= high; j++)
            values[j] += share;
    }
    values[0] = samples->values[0];
    values[length - 1] = samples->values[samples->length - 1];
    free(samples->values);
    samples->values = values;
    samples->length = length;
}

/* Squared distance of the samples that start at place i of a and place i of b. */
static double distance(const struct samples *a, const struct samples *b, int i)
{
    double sum = 0;
    for (int field = 0; field < FIELDS; field++) {
        double difference = a->values[i + field] - b->values[i + field];
        sum += difference * difference;
    }
    return sum;
}

/* Replaces every inner sample of `merged` by a weighted sample of `incoming`: the one at the same place or next to
 * it, whichever place has the two closest together. */
static void merge(struct samples *merged, struct samples *incoming, int node)
{
    double weight = (double)(node + 1) / (node + 2);

    if (merged->length < incoming->length)
        stretch(merged, incoming->length);
    if (merged->length > incoming->length)
        stretch(incoming, merged->length);
    for (int i = FIELDS; i < merged->length - FIELDS; i += FIELDS) {
        double here = distance(merged, incoming, i);
        double after = distance(merged, incoming, i + FIELDS);
        double before = distance(merged, incoming, i - FIELDS);
        int from = i;
        if (after < here) {
            from = i + FIELDS;
            here = after;
        }
        if (before < here)
            from = i - FIELDS;
        for (int field = 0; field < FIELDS; field++)
            merged->values[i + field] = weight * incoming->values[from + field];
    }
}

/* ------ flow ------ */

/* Messages carry the number of their arc as tag: first the length, then the values. */
static struct samples receive_samples(const struct graph *graph, int arc)
{
    struct samples samples;
    int from = graph->arc[arc].from;

    MPI_Recv(&samples.length, 1, MPI_INT, from, arc, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    samples.values = allocate((size_t)samples.length, sizeof *samples.values);
    MPI_Recv(samples.values, samples.length, MPI_DOUBLE, from, arc, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return samples;
}

static void send_samples(const struct graph *graph, int node, const struct samples *samples)
{
    for (int arc = 0; arc < graph->arcs; arc++)
        if (graph->arc[arc].from == node) {
            MPI_Send(&samples->length, 1, MPI_INT, graph->arc[arc].to, arc, MPI_COMM_WORLD);
            MPI_Send(samples->values, samples->length, MPI_DOUBLE, graph->arc[arc].to, arc, MPI_COMM_WORLD);
        }
}

/* Merges all that comes into an inner node. */
static struct samples merge_incoming(const struct problem *problem, const struct graph *graph, int node)
{
    struct samples merged;
    int arcs = arcs_into(graph, node);

    merged.length = problem->samples * FIELDS;
    merged.values = allocate((size_t)merged.length, sizeof *merged.values);
    for (int arc = 0; arc < graph->arcs; arc++)
        if (graph->arc[arc].to == node) {
            struct samples incoming = receive_samples(graph, arc);
            merge(&merged, &incoming, node);
            free(incoming.values);
        }
    for (int i = 0; i < merged.length; i++)
        merged.values[i] = (int)merged.values[i] / arcs;
    return merged;
}

/* The number to which a sink condenses all that comes in: weighted mean squares, rounded down. */
static double condense_incoming(const struct graph *graph, int node)
{
    double sum = 0;

    for (int arc = 0; arc < graph->arcs; arc++)
        if (graph->arc[arc].to == node) {
            struct samples incoming = receive_samples(graph, arc);
            double mean_square = 0;
            for (int i = 0; i < incoming.length; i++)
                mean_square += incoming.values[i] * incoming.values[i] / incoming.length;
            sum += (int)((node + 1) * mean_square);
            free(incoming.values);
        }
    return (node + 1) * (double)((int64_t)sum / arcs_into(graph, node));
}

/* What the rank of one node does. */
static void run_node(const struct problem *problem, const struct graph *graph, int node)
{
    if (is_sink(graph, node)) {
        double number = condense_incoming(graph, node);
        MPI_Send(&number, 1, MPI_DOUBLE, 0, graph->arcs + node, MPI_COMM_WORLD);
    } else {
        struct samples samples = arcs_into(graph, node) == 0 ? make_samples(problem, node)
                                                             : merge_incoming(problem, graph, node);
        send_samples(graph, node, &samples);
        free(samples.values);
    }
}

/* Rank 0 adds up what the sinks send. */
static double collect_checksum(const struct graph *graph)
{
    double checksum = 0;

    for (int node = 0; node < graph->nodes; node++)
        if (is_sink(graph, node)) {
            double number;
            MPI_Recv(&number, 1, MPI_DOUBLE, node, graph->arcs + node, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            checksum += number;
        }
    return checksum;
}

static const struct problem *find_problem(char name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name)
            return &problems[i];
    refuse("unknown class '%c': expected S, W, A or B", name);
    return NULL;
}

static enum shape find_shape(int argc, char **argv, const char *usage)
{
    for (int shape = 0; shape < 3 && argc > 1; shape++)
        if (strcmp(argv[1], shape_names[shape]) == 0)
            return (enum shape)shape;
    refuse("unknown graph '%s': expected BH, WH or SH; usage: %s", argc > 1 ? argv[1] : "", usage);
    return BLACK_HOLE;
}

int main(int argc, char **argv)
{
    const char *usage = "dt GRAPH CLASS";
    int rank, ranks, verified = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    enum shape shape = find_shape(argc, argv, usage);
    const struct problem *problem = find_problem(class_argument(argc, argv, 2, usage));
    struct graph graph = build_graph(shape, problem->ends);
    if (ranks < graph.nodes)
        refuse("DT graph %s class %c needs %d ranks, found %d", shape_names[shape], problem->name, graph.nodes,
               ranks);
    if (rank == 0)
        printf("DT graph %s class %c: %d nodes and %d arcs on %d ranks\n", shape_names[shape], problem->name,
               graph.nodes, graph.arcs, ranks);

    double start = MPI_Wtime();
    if (rank < graph.nodes)
        run_node(problem, &graph, rank);
    if (rank == 0) {
        double checksum = collect_checksum(&graph);
        double seconds = MPI_Wtime() - start;
        char size[32];
        verified = fabs(checksum - problem->checksum[shape]) <= TOLERANCE;
        printf("Checksum: %.1f\n", checksum);
        snprintf(size, sizeof size, "%s %d x %d", shape_names[shape], problem->samples, FIELDS);
        /* The "operations" are megabytes by NPB's count of 4 bytes a sample and arc. */
        print_report(&(struct report){"DT", problem->name, size, 1, seconds, ranks, graph.nodes,
                                      (double)FIELDS * problem->samples * graph.arcs / (1 << 20),
                                      "bytes transmitted", verified});
    }
    free(graph.arc);
    MPI_Finalize();
    return verified ? 0 : 1;
}
