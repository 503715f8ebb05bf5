/*
 * FT, "Fourier transform": how fast all ranks exchange large blocks with all
 * others.
 *
 * The task is to solve the heat equation on a periodic box of nx * ny * nz
 * points with the discrete Fourier transform: transform the initial values once,
 * then for each time step multiply every coefficient with a decay factor, and
 * transform back. A transform in three dimensions is one along x for all lines,
 * then one along y, then one along z; a rank can do those along an axis only if
 * it has whole lines of it. So the box changes hands between the axes:
 *
 *   slabs     up to nz ranks. Each has some planes of constant z, and
 *             transforms along x and y. One MPI_Alltoall turns the box, so
 *             that each has whole lines along z.
 *   pencils   more ranks. They form nz rows of ranks; each rank has whole lines
 *             along one axis only, and the box is turned twice: by an
 *             MPI_Alltoall among the ranks of a grid column (x with y), and one
 *             among those of a row (y with z).
 *
 * The way back does the same in the opposite order. After each time step 1024
 * values are added up as a checksum (MPI_Reduce) and compared.
 *
 * Source: NASA report NAS-95-020, section 2.7; the checksums are the published
 * ones of NPB 3.4. The transform of a line is Stockham's algorithm, as in
 * C. Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992,
 * section 1.7.
 *
 * Usage: smpirun -platform P -np N ./ft CLASS      N is a power of two
 */
#include "../common/random.h"
#include "../common/report.h"

#include <math.h>
#include <string.h>

#define SEED UINT64_C(314159265)
#define PI 3.14159265358979323846
#define DECAY 1e-6
#define SAMPLES 1024
#define MAX_STEPS 20
#define TOLERANCE 1e-12
#define BATCH 16 /* lines that are transformed together, so that inner loops are long */
#define TILE 8   /* elements that are moved together, so that cache lines are used up */

/* Not C's own complex type, whose product looks for infinities. */
struct complex {
    double re, im;
};

struct problem {
    char name;
    int nx, ny, nz;
    int steps;
    struct complex checksums[MAX_STEPS]; /* expected after each step */
};

static const struct problem problems[] = {
    {'S', 64, 64, 64, 6,
     {
      {5.546087004964e+02, 4.845363331978e+02},
      {5.546385409189e+02, 4.865304269511e+02},
      {5.546148406171e+02, 4.883910722336e+02},
      {5.545423607415e+02, 4.901273169046e+02},
      {5.544255039624e+02, 4.917475857993e+02},
      {5.542683411902e+02, 4.932597244941e+02},
     }},
    {'W', 128, 128, 32, 6,
     {
      {5.673612178944e+02, 5.293246849175e+02},
      {5.631436885271e+02, 5.282149986629e+02},
      {5.594024089970e+02, 5.270996558037e+02},
      {5.560698047020e+02, 5.260027904925e+02},
      {5.530898991250e+02, 5.249400845633e+02},
      {5.504159734538e+02, 5.239212247086e+02},
     }},
    {'A', 256, 256, 128, 6,
     {
      {5.046735008193e+02, 5.114047905510e+02},
      {5.059412319734e+02, 5.098809666433e+02},
      {5.069376896287e+02, 5.098144042213e+02},
      {5.077892868474e+02, 5.101336130759e+02},
      {5.085233095391e+02, 5.104914655194e+02},
      {5.091487099959e+02, 5.107917842803e+02},
     }},
    {'B', 512, 256, 256, 20,
     {
      {5.177643571579e+02, 5.077803458597e+02},
      {5.154521291263e+02, 5.088249431599e+02},
      {5.146409228649e+02, 5.096208912659e+02},
      {5.142378756213e+02, 5.101023387619e+02},
      {5.139626667737e+02, 5.103976610617e+02},
      {5.137423460082e+02, 5.105948019802e+02},
      {5.135547056878e+02, 5.107404165783e+02},
      {5.133910925466e+02, 5.108576573661e+02},
      {5.132470705390e+02, 5.109577278523e+02},
      {5.131197729984e+02, 5.110460304483e+02},
      {5.130070319283e+02, 5.111252433800e+02},
      {5.129070537032e+02, 5.111968077718e+02},
      {5.128182883502e+02, 5.112616233064e+02},
      {5.127393733383e+02, 5.113203605551e+02},
      {5.126691062020e+02, 5.113735928093e+02},
      {5.126064276004e+02, 5.114218460548e+02},
      {5.125504076570e+02, 5.114656139760e+02},
      {5.125002331720e+02, 5.115053595966e+02},
      {5.124551951846e+02, 5.115415130407e+02},
      {5.124146770029e+02, 5.115744692211e+02},
     }},
    {'C', 512, 512, 512, 20,
     {
      {5.195078707457e+02, 5.149019699238e+02},
      {5.155422171134e+02, 5.127578201997e+02},
      {5.144678022222e+02, 5.122251847514e+02},
      {5.140150594328e+02, 5.121090289018e+02},
      {5.137550426810e+02, 5.121143685824e+02},
      {5.135811056728e+02, 5.121496764568e+02},
      {5.134569343165e+02, 5.121870921893e+02},
      {5.133651975661e+02, 5.122193250322e+02},
      {5.132955192805e+02, 5.122454735794e+02},
      {5.132410471738e+02, 5.122663649603e+02},
      {5.131971141679e+02, 5.122830879827e+02},
      {5.131605205716e+02, 5.122965869718e+02},
      {5.131290734194e+02, 5.123075927445e+02},
      {5.131012720314e+02, 5.123166486553e+02},
      {5.130760908195e+02, 5.123241541685e+02},
      {5.130528295923e+02, 5.123304037599e+02},
      {5.130310107773e+02, 5.123356167976e+02},
      {5.130103090133e+02, 5.123399592211e+02},
      {5.129905029333e+02, 5.123435588985e+02},
      {5.129714421109e+02, 5.123465164008e+02},
     }},
};

/* What a transform needs to know about lengths: the roots exp(2 pi i j / n) of 1, for j < n / 2. */
struct roots {
    int n;
    struct complex *values;
};

/* All a rank works with. A block is stored with its first axis fastest. */
struct transformer {
    const struct problem *problem;
    int rank, ranks;
    int rows, columns;               /* the grid of ranks; one row and all columns for slabs */
    int row, column;
    MPI_Comm within_row, within_column;
    size_t size;                     /* points that this rank has */
    struct roots roots[3];           /* along x, y, z */
    double *factors[3];              /* decay in one step of the frequencies along x, y, z */
    struct complex *coefficients;    /* the transformed box, as of the current step */
    struct complex *work[2];
    struct complex *batch[2];
};

static const struct problem *find_problem(char name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name)
            return &problems[i];
    refuse("unknown class '%c': expected S, W, A, B or C", name);
    return NULL;
}

/* ---- complex numbers ---- */

static inline struct complex plus(struct complex a, struct complex b)
{
    return (struct complex){a.re + b.re, a.im + b.im};
}

static inline struct complex minus(struct complex a, struct complex b)
{
    return (struct complex){a.re - b.re, a.im - b.im};
}

static inline struct complex times(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* ---- preparation ---- */

static struct roots new_roots(int n)
{
    struct roots roots = {n, new_array((size_t)n / 2, sizeof(struct complex))};

    for (int j = 0; j < n / 2; j++)
        roots.values[j] = (struct complex){cos(2 * PI * j / n), sin(2 * PI * j / n)};
    return roots;
}

/* The decay of each frequency along an axis of length n. The upper half are the negative frequencies. */
static double *new_factors(int n)
{
    double *factors = new_array((size_t)n, sizeof *factors);

    for (int k = 0; k < n; k++) {
        double frequency = k < n / 2 ? k : k - n;
        factors[k] = exp(-4 * DECAY * PI * PI * frequency * frequency);
    }
    return factors;
}

static void prepare(struct transformer *ft, const struct problem *problem)
{
    ft->problem = problem;
    MPI_Comm_rank(MPI_COMM_WORLD, &ft->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ft->ranks);
    ft->rows = ft->ranks <= problem->nz ? 1 : problem->nz;
    ft->columns = ft->ranks / ft->rows;
    ft->row = ft->rank / ft->columns;
    ft->column = ft->rank % ft->columns;
    MPI_Comm_split(MPI_COMM_WORLD, ft->row, ft->column, &ft->within_row);
    MPI_Comm_split(MPI_COMM_WORLD, ft->column, ft->row, &ft->within_column);

    ft->size = (size_t)problem->nx * problem->ny * problem->nz / ft->ranks;
    ft->coefficients = new_array(ft->size, sizeof(struct complex));
    for (int i = 0; i < 2; i++)
        ft->work[i] = new_array(ft->size, sizeof(struct complex));

    int lengths[] = {problem->nx, problem->ny, problem->nz}, longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        ft->roots[axis] = new_roots(lengths[axis]);
        ft->factors[axis] = new_factors(lengths[axis]);
        longest = lengths[axis] > longest ? lengths[axis] : longest;
    }
    for (int i = 0; i < 2; i++)
        ft->batch[i] = new_array((size_t)longest * BATCH, sizeof(struct complex));
}

static void release(struct transformer *ft)
{
    for (int axis = 0; axis < 3; axis++) {
        free(ft->roots[axis].values);
        free(ft->factors[axis]);
    }
    for (int i = 0; i < 2; i++) {
        free(ft->work[i]);
        free(ft->batch[i]);
    }
    free(ft->coefficients);
    MPI_Comm_free(&ft->within_row);
    MPI_Comm_free(&ft->within_column);
}

/* The initial values of this rank's lines along x: pairs of the common random numbers, in the order of the box. */
static void draw_values(const struct transformer *ft, struct complex *values)
{
    const struct problem *problem = ft->problem;
    int ny = problem->ny / ft->rows, nz = problem->nz / ft->columns;

    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++) {
            uint64_t line = (uint64_t)(ft->column * nz + k) * (uint64_t)problem->ny + (uint64_t)(ft->row * ny + j);
            uint64_t stream = random_jump(SEED, 2 * line * (uint64_t)problem->nx);

            for (int i = 0; i < problem->nx; i++, values++) {
                values->re = random_next(&stream);
                values->im = random_next(&stream);
            }
        }
}

/* ---- transforms along one axis ---- */

/*
 * Transforms BATCH lines at once, which alternate element by element. Stockham's algorithm halves the
 * transforms' length n in every pass: the sums and the differences (times a root) of elements n / 2
 * apart make two transforms of half the length, and are stored alternately, which leaves the results
 * in order. `sign` is that of the exponent. The result is in one of the two buffers.
 */
static struct complex *transform_batch(const struct roots *roots, int sign, struct complex *from,
                                       struct complex *to)
{
    int width = BATCH; /* elements side by side: lines, times transforms that a line was split into */

    for (int half = roots->n / 2; half >= 1; half /= 2, width *= 2) {
        for (int j = 0; j < half; j++) {
            struct complex root = roots->values[j * (width / BATCH)];
            const struct complex *a = from + j * width, *b = from + (j + half) * width;
            struct complex *sums = to + 2 * j * width, *differences = sums + width;

            root.im *= sign;
            for (int k = 0; k < width; k++) {
                sums[k] = plus(a[k], b[k]);
                differences[k] = times(minus(a[k], b[k]), root);
            }
        }
        struct complex *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/*
 * Transforms `count` lines in place. Elements of a line are `element_step` apart, lines next to each
 * other `line_step`.
 */
static void transform_lines(struct transformer *ft, const struct roots *roots, int sign,
                            struct complex *values, size_t element_step, size_t line_step, int count)
{
    for (int first = 0; first < count; first += BATCH) {
        struct complex *lines = values + (size_t)first * line_step;
        int lines_left = count - first, used = lines_left < BATCH ? lines_left : BATCH;

        for (int i = 0; i < roots->n; i++)
            for (int line = 0; line < used; line++)
                ft->batch[0][i * BATCH + line] = lines[(size_t)i * element_step + (size_t)line * line_step];
        struct complex *result = transform_batch(roots, sign, ft->batch[0], ft->batch[1]);
        for (int i = 0; i < roots->n; i++)
            for (int line = 0; line < used; line++)
                lines[(size_t)i * element_step + (size_t)line * line_step] = result[i * BATCH + line];
    }
}

/* Transforms along the first axis of a block, whose lines lie one after the other. */
static void transform_first(struct transformer *ft, int axis, int sign, struct complex *values)
{
    const struct roots *roots = &ft->roots[axis];

    transform_lines(ft, roots, sign, values, 1, (size_t)roots->n, (int)(ft->size / (size_t)roots->n));
}

/* Transforms along y, the second axis, of a block of whole planes. */
static void transform_y(struct transformer *ft, int sign, struct complex *values)
{
    int nx = ft->problem->nx, ny = ft->problem->ny;
    size_t plane = (size_t)nx * (size_t)ny;

    for (size_t start = 0; start < ft->size; start += plane)
        transform_lines(ft, &ft->roots[1], sign, values + start, (size_t)nx, 1, nx);
}

/* ---- turning the box ---- */

/*
 * A turn exchanges two axes. Before it, this rank has whole lines of `whole` elements along the first
 * axis, and `part` places of the second; afterwards it has whole lines of the second axis, and a part
 * of the places of the first. There are `layers` of that along the remaining axis. The steps say how
 * far apart in memory neighbours along the second axis and along the remaining one are.
 */
struct turn {
    MPI_Comm comm; /* the ranks that have parts of the same lines */
    int whole, part, layers;
    size_t second_before, layer_before; /* steps before */
    size_t second_after, layer_after;   /* and after */
};

/* Turns `values`; the result is in `turned`. Both are overwritten. */
static void turn_box(const struct turn *turn, struct complex *values, struct complex *turned)
{
    int peers;
    MPI_Comm_size(turn->comm, &peers);
    int share = turn->whole / peers; /* places of the first axis for each peer */
    int part = turn->part;
    struct complex *next = turned;

    /* A block for each peer, in the order in which it will need the elements: the second axis fastest. */
    for (int peer = 0; peer < peers; peer++)
        for (int layer = 0; layer < turn->layers; layer++)
            for (int tile = 0; tile < share; tile += TILE) {
                const struct complex *from = values + peer * share + tile + (size_t)layer * turn->layer_before;
                int width = share - tile < TILE ? share - tile : TILE;

                for (int j = 0; j < part; j++)
                    for (int i = 0; i < width; i++)
                        next[i * part + j] = from[(size_t)j * turn->second_before + (size_t)i];
                next += width * part;
            }

    int count = turn->layers * share * part;
    MPI_Alltoall(turned, count, MPI_C_DOUBLE_COMPLEX, values, count, MPI_C_DOUBLE_COMPLEX, turn->comm);

    /* A peer's block has pieces of lines of the second axis. */
    const struct complex *piece = values;
    for (int peer = 0; peer < peers; peer++)
        for (int layer = 0; layer < turn->layers; layer++)
            for (int i = 0; i < share; i++, piece += part)
                memcpy(turned + peer * part + (size_t)i * turn->second_after + (size_t)layer * turn->layer_after,
                       piece, (size_t)part * sizeof *piece);
}

/* Slabs: a plane's x and y count as one axis. From (xy, z) to (z, xy) ... */
static struct turn slabs_to_z(const struct transformer *ft)
{
    int plane = ft->problem->nx * ft->problem->ny, nz = ft->problem->nz;

    return (struct turn){ft->within_row, plane, nz / ft->ranks, 1, (size_t)plane, 0, (size_t)nz, 0};
}

/* ... and back. */
static struct turn slabs_from_z(const struct transformer *ft)
{
    int plane = ft->problem->nx * ft->problem->ny, nz = ft->problem->nz;

    return (struct turn){ft->within_row, nz, plane / ft->ranks, 1, (size_t)nz, 0, (size_t)plane, 0};
}

/* Pencils: from (x, y, z) to (y, x, z) among a column, or with the lengths swapped, back. */
static struct turn pencils_xy(const struct transformer *ft, int from, int to)
{
    int rows = ft->rows;

    return (struct turn){ft->within_column, from, to / rows, ft->problem->nz / ft->columns,
                         (size_t)from, (size_t)from * (to / rows),
                         (size_t)to, (size_t)to * (from / rows)};
}

/* Pencils: from (y, x, z) to (z, x, y) among a row, or with the lengths swapped, back. */
static struct turn pencils_yz(const struct transformer *ft, int from, int to)
{
    int nx = ft->problem->nx / ft->rows;

    return (struct turn){ft->within_row, from, to / ft->columns, nx,
                         (size_t)from * nx, (size_t)from,
                         (size_t)to * nx, (size_t)to};
}

/* ---- transforms of the box ---- */

/* From values to coefficients. Overwrites both work arrays; gives back the one with the result. */
static struct complex *forward(struct transformer *ft, struct complex *values, struct complex *other)
{
    const struct problem *problem = ft->problem;

    transform_first(ft, 0, 1, values);
    if (ft->rows == 1) {
        struct turn turn = slabs_to_z(ft);
        transform_y(ft, 1, values);
        turn_box(&turn, values, other);
        transform_first(ft, 2, 1, other);
        return other;
    }
    struct turn xy = pencils_xy(ft, problem->nx, problem->ny);
    struct turn yz = pencils_yz(ft, problem->ny, problem->nz);
    turn_box(&xy, values, other);
    transform_first(ft, 1, 1, other);
    turn_box(&yz, other, values);
    transform_first(ft, 2, 1, values);
    return values;
}

/* From coefficients back to values, times the number of points; otherwise like `forward`. */
static struct complex *backward(struct transformer *ft, struct complex *values, struct complex *other)
{
    const struct problem *problem = ft->problem;

    transform_first(ft, 2, -1, values);
    if (ft->rows == 1) {
        struct turn turn = slabs_from_z(ft);
        turn_box(&turn, values, other);
        transform_y(ft, -1, other);
        transform_first(ft, 0, -1, other);
        return other;
    }
    struct turn yz = pencils_yz(ft, problem->nz, problem->ny);
    struct turn xy = pencils_xy(ft, problem->ny, problem->nx);
    turn_box(&yz, values, other);
    transform_first(ft, 1, -1, other);
    turn_box(&xy, other, values);
    transform_first(ft, 0, -1, values);
    return values;
}

/* One time step: lets the coefficients decay, and copies them for the transform back. */
static void decay(struct transformer *ft, struct complex *copy)
{
    const struct problem *problem = ft->problem;
    int nz = problem->nz;
    /* Coefficients are stored as (z, x, y): slabs have all x, pencils a part. */
    int nx = problem->nx / ft->rows, ny = problem->ny / ft->columns;
    size_t place = 0;

    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            double factor_xy = ft->factors[0][ft->row * nx + i] * ft->factors[1][ft->column * ny + j];
            for (int k = 0; k < nz; k++, place++) {
                double factor = factor_xy * ft->factors[2][k];
                ft->coefficients[place].re *= factor;
                ft->coefficients[place].im *= factor;
                copy[place] = ft->coefficients[place];
            }
        }
}

/* The sum of 1024 values that are spread over the box, divided by the number of points; on rank 0. */
static struct complex checksum_of(const struct transformer *ft, const struct complex *values)
{
    const struct problem *problem = ft->problem;
    int ny = problem->ny / ft->rows, nz = problem->nz / ft->columns;
    double points = (double)problem->nx * problem->ny * problem->nz;
    struct complex sum = {0, 0}, total = {0, 0};

    for (int sample = 1; sample <= SAMPLES; sample++) {
        int i = sample % problem->nx;
        int j = 3 * sample % problem->ny - ft->row * ny;
        int k = 5 * sample % problem->nz - ft->column * nz;
        if (j >= 0 && j < ny && k >= 0 && k < nz)
            sum = plus(sum, values[(size_t)i + (size_t)problem->nx * ((size_t)j + (size_t)ny * k)]);
    }
    sum.re /= points;
    sum.im /= points;
    MPI_Reduce(&sum, &total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD);
    return total;
}

/* Whether a checksum is as expected: the length of the relative error, a complex number. */
static int is_right(struct complex found, struct complex expected)
{
    double error = hypot(found.re - expected.re, found.im - expected.im);

    /* Written so that a value that is not a number fails. */
    return error / hypot(expected.re, expected.im) <= TOLERANCE;
}

/* ---- the benchmark ---- */

/* Makes the initial values and transforms them into the coefficients. */
static void transform_initial_values(struct transformer *ft)
{
    draw_values(ft, ft->work[0]);
    memcpy(ft->coefficients, forward(ft, ft->work[0], ft->work[1]), ft->size * sizeof *ft->coefficients);
}

/* All time steps. Whether all checksums were right is known on rank 0. */
static int run_steps(struct transformer *ft)
{
    const struct problem *problem = ft->problem;
    int verified = 1;

    for (int step = 1; step <= problem->steps; step++) {
        decay(ft, ft->work[0]);
        struct complex checksum = checksum_of(ft, backward(ft, ft->work[0], ft->work[1]));
        if (ft->rank == 0)
            printf(" T = %4d     Checksum = %22.12e %22.12e\n", step, checksum.re, checksum.im);
        verified &= is_right(checksum, problem->checksums[step - 1]);
    }
    return verified;
}

/* The benchmark's operations, by the count that the NAS benchmarks agreed on. */
static double million_operations(const struct problem *problem)
{
    double points = (double)problem->nx * problem->ny * problem->nz;

    return 1e-6 * points *
           (14.8157 + 7.19641 * log(points) + (5.23518 + 7.21113 * log(points)) * problem->steps);
}

/* Whether the box can be cut up for this number of ranks. */
static int can_cut(const struct problem *problem, int ranks)
{
    int shortest = problem->ny < problem->nz ? problem->ny : problem->nz;

    return (ranks & (ranks - 1)) == 0 && ranks <= problem->nz * shortest;
}

int main(int argc, char **argv)
{
    struct transformer ft;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct problem *problem = find_problem(class_argument(argc, argv, 1, "ft CLASS"));
    if (!can_cut(problem, ranks))
        refuse("FT class %c needs a power of two of ranks, at most %d; found %d", problem->name,
               problem->nz * (problem->ny < problem->nz ? problem->ny : problem->nz), ranks);
    prepare(&ft, problem);
    if (ft.rank == 0)
        printf("FT class %c: %d x %d x %d points, %d steps, on %d ranks (%d x %d)\n", problem->name,
               problem->nx, problem->ny, problem->nz, problem->steps, ranks, ft.rows, ft.columns);

    /* One transform ahead warms up caches and network; it does not count. */
    transform_initial_values(&ft);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    transform_initial_values(&ft);
    int verified = run_steps(&ft);
    double seconds = MPI_Wtime() - start;

    MPI_Bcast(&verified, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (ft.rank == 0) {
        char size[48];
        snprintf(size, sizeof size, "%dx%dx%d", problem->nx, problem->ny, problem->nz);
        print_report(&(struct report){"FT", problem->name, size, problem->steps, seconds, ranks, ranks,
                                      million_operations(problem), "floating point", verified});
    }
    release(&ft);
    MPI_Finalize();
    return verified ? 0 : 1;
}
