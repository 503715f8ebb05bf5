/*
 * MG, "multigrid": how fast the ranks exchange faces of grids, large and small.
 *
 * The task is to solve Poisson's equation  A u = v  on a cube of n^3 points
 * that is periodic in all directions. The right side v is 0 but for ten points
 * with +1 and ten with -1. Multigrid gets rid of an error on the grid where it
 * is coarse: a "V-cycle" takes the residual r = v - A u from the finest grid
 * to coarser and coarser ones, each with half the points per axis, estimates
 * the error on the coarsest, and takes the estimates back up:
 *
 *     level  lt        r = v - A u                       u += P u', r = v - A u, u += S r
 *     level  lt - 1       r' = R r                    u' = P u'', r' -= A u', u' += S r'
 *       ...                    ...                 ...
 *     level  1                        u = S r
 *
 *   A, S   sums over the 27 points of the 3x3x3 cube around a point, with one
 *          weight per distance: discrete Laplacian, and smoother;
 *   R      restriction, a mean over the same 27 points;
 *   P      prolongation, linear interpolation.
 *
 * The ranks cut up the cube along all three axes. Each keeps its points and a
 * layer of "ghosts" around them, copies of its neighbours' outermost points.
 * After A, S and R the ghosts are renewed: axis by axis, a rank sends its two
 * outer planes and receives two with MPI_Irecv, MPI_Send, MPI_Wait; planes of
 * the later axes include the ghosts of the earlier ones, so that edges and
 * corners arrive, too. Where an axis is not cut up a rank is its own neighbour
 * and sends to itself.
 *
 * A coarse grid can have fewer points along an axis than there are ranks. Then
 * only every second (fourth ...) rank has a point there; the others sit out
 * that level, and on the way back up they get their points from the neighbours
 * that have them (see `hand_out`).
 *
 * Source: NASA report NAS-95-020, section 2.5; the norms are the published
 * values of NPB 3.4.
 *
 * Usage: smpirun -platform P -np N ./mg CLASS      N is a power of two
 */
#include "../common/random.h"
#include "../common/report.h"

#include <math.h>
#include <string.h>

#define SEED UINT64_C(314159265)
#define AXES 3
#define CHARGES 10 /* points with +1, and with -1 */
#define MAX_LEVELS 10
#define TOLERANCE 1e-8

enum { BELOW, ABOVE }; /* the two neighbours along an axis */

/* Weights of the point itself, and of its neighbours that differ from it along 1, 2 and 3 axes. */
static const double minus_laplacian[] = {8.0 / 3, 0, -1.0 / 6, -1.0 / 12};
static const double smoother[] = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
static const double large_smoother[] = {-3.0 / 17, 1.0 / 33, -1.0 / 61, 0}; /* from class B on */
static const double restriction[] = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};

struct problem {
    char name;
    int levels; /* the finest grid has 2^levels points per axis */
    int cycles;
    const double *smoother; /* S */
    double norm;            /* expected, of the residual */
};

static const struct problem problems[] = {
    {'S', 5, 4, smoother, 0.5307707005734e-04},
    {'W', 7, 4, smoother, 0.6467329375339e-05},
    {'A', 8, 4, smoother, 0.2433365309069e-05},
    {'B', 8, 20, large_smoother, 0.1800564401355e-05},
    {'C', 9, 20, large_smoother, 0.5706732285740e-06},
};

/* This rank's part of one grid. Fields are stored with axis 0 fastest, ghosts included. */
struct level {
    int points;       /* of the whole grid, per axis */
    int extent[AXES]; /* this rank's points and two ghosts, along each axis */
    int idle;         /* this rank has no points here */
    int neighbour[AXES][2];
    /* Along an axis that has twice the ranks of the next coarser grid's points: */
    int gives[AXES], takes[AXES]; /* this rank has a point there; it has none, but its neighbours do */
    double *u, *r;
};

struct solver {
    const struct problem *problem;
    int rank, ranks;
    int cuts[AXES], place[AXES];           /* ranks along each axis, and this one's place */
    struct level levels[MAX_LEVELS + 1];   /* 1 is the coarsest */
    struct level *finest;
    double *v;                             /* the right side */
    double *outgoing, *incoming[2];        /* buffers for planes */
    double *near, *diagonal;               /* see `sum_rows` */
};

static const struct problem *find_problem(char name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name)
            return &problems[i];
    refuse("unknown class '%c': expected S, W, A, B or C", name);
    return NULL;
}

/* ---- the grids ---- */

static size_t size_of(const struct level *level)
{
    return (size_t)level->extent[0] * level->extent[1] * level->extent[2];
}

/* Where a point of a field is stored. */
static size_t at(const struct level *level, int i, int j, int k)
{
    return (size_t)i + (size_t)level->extent[0] * ((size_t)j + (size_t)level->extent[1] * k);
}

/* The rank that is `steps` further along an axis. */
static int rank_beside(const struct solver *solver, int axis, int steps)
{
    int place[AXES];

    memcpy(place, solver->place, sizeof place);
    place[axis] = (place[axis] + steps + solver->cuts[axis]) % solver->cuts[axis];
    return place[0] + solver->cuts[0] * (place[1] + solver->cuts[1] * place[2]);
}

/*
 * With fewer points than ranks along an axis, only the last of every `stride` ranks has one: the
 * points of a grid are every second of the next finer one, from the second on.
 */
static int stride_of(int points, int cuts)
{
    return cuts > points ? cuts / points : 1;
}

static int has_points(const struct solver *solver, int axis, int stride)
{
    return (solver->place[axis] + 1) % stride == 0;
}

static void arrange_level(const struct solver *solver, struct level *level, int points)
{
    level->points = points;
    level->idle = 0;
    for (int axis = 0; axis < AXES; axis++) {
        int stride = stride_of(points, solver->cuts[axis]);
        int coarser = stride_of(points / 2, solver->cuts[axis]);
        int here = has_points(solver, axis, stride);
        int on_coarser = has_points(solver, axis, coarser);

        level->extent[axis] = 2 + (here ? stride * points / solver->cuts[axis] : 0);
        level->idle |= !here;
        level->gives[axis] = coarser > stride && on_coarser;
        level->takes[axis] = coarser > stride && here && !on_coarser;
        level->neighbour[axis][BELOW] = rank_beside(solver, axis, -stride);
        level->neighbour[axis][ABOVE] = rank_beside(solver, axis, stride);
    }
    level->u = new_array(size_of(level), sizeof(double));
    level->r = new_array(size_of(level), sizeof(double));
}

/* Cuts up the cube: along the last axis first, if the ranks do not divide evenly. */
static void arrange(struct solver *solver, const struct problem *problem)
{
    int log2_ranks = 0;

    solver->problem = problem;
    MPI_Comm_rank(MPI_COMM_WORLD, &solver->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &solver->ranks);
    while (1 << (log2_ranks + 1) <= solver->ranks)
        log2_ranks++;
    solver->cuts[0] = 1 << (log2_ranks / 3);
    solver->cuts[1] = 1 << ((log2_ranks - log2_ranks / 3) / 2);
    solver->cuts[2] = solver->ranks / (solver->cuts[0] * solver->cuts[1]);
    solver->place[0] = solver->rank % solver->cuts[0];
    solver->place[1] = solver->rank / solver->cuts[0] % solver->cuts[1];
    solver->place[2] = solver->rank / (solver->cuts[0] * solver->cuts[1]);

    for (int number = 1; number <= problem->levels; number++)
        arrange_level(solver, &solver->levels[number], 1 << number);
    solver->finest = &solver->levels[problem->levels];
    solver->v = new_array(size_of(solver->finest), sizeof(double));

    const int *extent = solver->finest->extent;
    size_t plane = (size_t)extent[0] * extent[1];
    if (plane < (size_t)extent[1] * extent[2])
        plane = (size_t)extent[1] * extent[2];
    if (plane < (size_t)extent[0] * extent[2])
        plane = (size_t)extent[0] * extent[2];
    solver->outgoing = new_array(2 * plane, sizeof(double)); /* `hand_out` sends two at once */
    solver->incoming[BELOW] = new_array(2 * plane, sizeof(double));
    solver->incoming[ABOVE] = new_array(2 * plane, sizeof(double));
    solver->near = new_array((size_t)extent[0], sizeof(double));
    solver->diagonal = new_array((size_t)extent[0], sizeof(double));
}

static void release(struct solver *solver)
{
    for (int number = 1; number <= solver->problem->levels; number++) {
        free(solver->levels[number].u);
        free(solver->levels[number].r);
    }
    free(solver->v);
    free(solver->outgoing);
    free(solver->incoming[BELOW]);
    free(solver->incoming[ABOVE]);
    free(solver->near);
    free(solver->diagonal);
}

static void clear(const struct level *level, double *field)
{
    memset(field, 0, size_of(level) * sizeof *field);
}

/* ---- communication ---- */

/* A plane across an axis: where it starts, and the steps and numbers of its two loops. */
struct plane {
    size_t start, outer_step, inner_step;
    int outer_count, inner_count;
};

/* The plane number `index` across `axis`, with the ghosts along the axes below `with_ghosts`. */
static struct plane plane_of(const struct level *level, int axis, int index, int with_ghosts)
{
    size_t step[AXES] = {1, (size_t)level->extent[0], (size_t)level->extent[0] * level->extent[1]};
    int inner = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
    int inner_edge = inner < with_ghosts ? 0 : 1, outer_edge = outer < with_ghosts ? 0 : 1;

    return (struct plane){
        (size_t)index * step[axis] + (size_t)inner_edge * step[inner] + (size_t)outer_edge * step[outer],
        step[outer], step[inner],
        level->extent[outer] - 2 * outer_edge, level->extent[inner] - 2 * inner_edge};
}

/* Copies a plane of a field to a buffer; gives back how many numbers that is. */
static int pack(const double *field, struct plane plane, double *buffer)
{
    int count = 0;

    for (int outer = 0; outer < plane.outer_count; outer++)
        for (int inner = 0; inner < plane.inner_count; inner++)
            buffer[count++] = field[plane.start + outer * plane.outer_step + inner * plane.inner_step];
    return count;
}

static int unpack(double *field, struct plane plane, const double *buffer)
{
    int count = 0;

    for (int outer = 0; outer < plane.outer_count; outer++)
        for (int inner = 0; inner < plane.inner_count; inner++)
            field[plane.start + outer * plane.outer_step + inner * plane.inner_step] = buffer[count++];
    return count;
}

/* The direction is part of the tag, since both neighbours can be the same rank. */
static int tag_of(int axis, int direction)
{
    return 10 * (axis + 1) + direction;
}

static void receive_from(struct solver *solver, const struct level *level, int axis, int side, int count,
                         MPI_Request *request)
{
    /* What comes from below was sent upwards. */
    MPI_Irecv(solver->incoming[side], count, MPI_DOUBLE, level->neighbour[axis][side],
              tag_of(axis, side == BELOW ? ABOVE : BELOW), MPI_COMM_WORLD, request);
}

static void send_to(struct solver *solver, const struct level *level, int axis, int side, int count)
{
    MPI_Send(solver->outgoing, count, MPI_DOUBLE, level->neighbour[axis][side], tag_of(axis, side),
             MPI_COMM_WORLD);
}

/* Renews the ghosts of a field on one axis. */
static void renew_axis(struct solver *solver, const struct level *level, double *field, int axis)
{
    int last = level->extent[axis] - 1;
    struct plane low_ghost = plane_of(level, axis, 0, axis), low = plane_of(level, axis, 1, axis);
    struct plane high = plane_of(level, axis, last - 1, axis), high_ghost = plane_of(level, axis, last, axis);
    int count = low.outer_count * low.inner_count;
    MPI_Request requests[2];

    if (solver->ranks == 1) {
        pack(field, high, solver->outgoing);
        unpack(field, low_ghost, solver->outgoing);
        pack(field, low, solver->outgoing);
        unpack(field, high_ghost, solver->outgoing);
        return;
    }
    receive_from(solver, level, axis, BELOW, count, &requests[BELOW]);
    receive_from(solver, level, axis, ABOVE, count, &requests[ABOVE]);
    pack(field, high, solver->outgoing);
    send_to(solver, level, axis, ABOVE, count);
    pack(field, low, solver->outgoing);
    send_to(solver, level, axis, BELOW, count);
    MPI_Wait(&requests[ABOVE], MPI_STATUS_IGNORE);
    unpack(field, high_ghost, solver->incoming[ABOVE]);
    MPI_Wait(&requests[BELOW], MPI_STATUS_IGNORE);
    unpack(field, low_ghost, solver->incoming[BELOW]);
}

/* Renews all ghosts of a field; a rank without points clears it, for prolongation. */
static void renew_ghosts(struct solver *solver, const struct level *level, double *field)
{
    if (level->idle) {
        clear(level, field);
        return;
    }
    for (int axis = 0; axis < AXES; axis++)
        renew_axis(solver, level, field, axis);
}

/*
 * After prolongation to a grid with one point per rank, from one with a point on every second: a rank
 * that had a coarse point has interpolated its own fine point and, in its ghosts, those of its
 * neighbours. It gives the one above its last two planes (their ghost and their points), and the one
 * below its first points, which are their ghosts. Axis by axis and with all ghosts, so that ranks
 * that sat out along several axes get theirs in several steps.
 */
static void hand_out(struct solver *solver, const struct level *level, double *field)
{
    for (int axis = 0; axis < AXES; axis++) {
        struct plane planes[] = {plane_of(level, axis, 0, AXES), plane_of(level, axis, 1, AXES),
                                 plane_of(level, axis, 2, AXES)};
        int count = planes[0].outer_count * planes[0].inner_count;
        MPI_Request requests[2];

        if (level->takes[axis]) {
            receive_from(solver, level, axis, BELOW, 2 * count, &requests[BELOW]);
            receive_from(solver, level, axis, ABOVE, count, &requests[ABOVE]);
            MPI_Wait(&requests[BELOW], MPI_STATUS_IGNORE);
            unpack(field, planes[0], solver->incoming[BELOW]);
            unpack(field, planes[1], solver->incoming[BELOW] + count);
            MPI_Wait(&requests[ABOVE], MPI_STATUS_IGNORE);
            unpack(field, planes[2], solver->incoming[ABOVE]);
        }
        if (level->gives[axis]) {
            pack(field, planes[1], solver->outgoing);
            pack(field, planes[2], solver->outgoing + count);
            send_to(solver, level, axis, ABOVE, 2 * count);
            pack(field, planes[1], solver->outgoing);
            send_to(solver, level, axis, BELOW, count);
        }
    }
}

/* ---- the operators ---- */

/*
 * Of the row along axis 0 through (., j, k): for each place i, the sum of the 4 points beside it that
 * differ along one of the other axes (near), and of the 4 that differ along both (diagonal). With
 * these, every sum over a 3x3x3 cube takes only a few additions.
 */
static void sum_rows(struct solver *solver, const struct level *level, const double *field, int j, int k)
{
    const double *left = field + at(level, 0, j - 1, k), *right = field + at(level, 0, j + 1, k);
    const double *below = field + at(level, 0, j, k - 1), *above = field + at(level, 0, j, k + 1);
    size_t row = (size_t)level->extent[0];

    for (int i = 0; i < level->extent[0]; i++) {
        solver->near[i] = left[i] + right[i] + below[i] + above[i];
        solver->diagonal[i] = below[(size_t)i - row] + below[(size_t)i + row] + above[(size_t)i - row] +
                              above[(size_t)i + row];
    }
}

/* The weighted sum over the cube around place i of the row that `sum_rows` was called for. */
static inline double cube_sum(const struct solver *solver, const double *weights, const double *row, int i)
{
    const double *near = solver->near, *diagonal = solver->diagonal;

    return weights[0] * row[i] + weights[1] * (row[i - 1] + row[i + 1] + near[i]) +
           weights[2] * (near[i - 1] + near[i + 1] + diagonal[i]) +
           weights[3] * (diagonal[i - 1] + diagonal[i + 1]);
}

/* out = base + W in, where W sums over 27 points with the weights. `out` and `base` may be the same. */
static void add_sums(struct solver *solver, const struct level *level, const double *weights,
                     const double *in, const double *base, double *out)
{
    for (int k = 1; k < level->extent[2] - 1; k++)
        for (int j = 1; j < level->extent[1] - 1; j++) {
            size_t row = at(level, 0, j, k);
            sum_rows(solver, level, in, j, k);
            for (int i = 1; i < level->extent[0] - 1; i++)
                out[row + i] = base[row + i] + cube_sum(solver, weights, in + row, i);
        }
    renew_ghosts(solver, level, out);
}

/* r = right - A u */
static void residual(struct solver *solver, const struct level *level, const double *right)
{
    add_sums(solver, level, minus_laplacian, level->u, right, level->r);
}

/* u = u + S r */
static void smooth(struct solver *solver, const struct level *level)
{
    add_sums(solver, level, solver->problem->smoother, level->r, level->u, level->u);
}

/*
 * How places of a grid and the next coarser one correspond along an axis: coarse point c lies on fine
 * point 2 c - shift. The shift is 0 (counted from the ghosts at 0), but where a rank has only one
 * fine point; if it has a coarse one, they coincide.
 */
static int shift_of(const struct level *fine, int axis)
{
    return fine->extent[axis] == 3 ? 1 : 0;
}

/* R: the coarser level's r from the finer one's. */
static void restrict_residual(struct solver *solver, const struct level *fine, const struct level *coarse)
{
    int shift[AXES] = {shift_of(fine, 0), shift_of(fine, 1), shift_of(fine, 2)};

    for (int k = 1; k < coarse->extent[2] - 1; k++)
        for (int j = 1; j < coarse->extent[1] - 1; j++) {
            int fine_j = 2 * j - shift[1], fine_k = 2 * k - shift[2];
            const double *row = fine->r + at(fine, 0, fine_j, fine_k);
            double *out = coarse->r + at(coarse, 0, j, k);

            sum_rows(solver, fine, fine->r, fine_j, fine_k);
            for (int i = 1; i < coarse->extent[0] - 1; i++)
                out[i] = cube_sum(solver, restriction, row, 2 * i - shift[0]);
        }
    renew_ghosts(solver, coarse, coarse->r);
}

/* Along one axis: which coarse points a fine place is interpolated from, and whether it lies between them. */
struct interval {
    int from, between;
};

static struct interval interval_of(int place, int shift)
{
    return (struct interval){(place + shift) / 2, (place + shift) % 2};
}

/*
 * P: adds to the finer level's u what the coarser one's is at its points, ghosts included. A fine
 * point coincides with a coarse one, or is the mean of the 2, 4 or 8 around it.
 */
static void prolongate(struct solver *solver, const struct level *coarse, const struct level *fine)
{
    int shift[AXES] = {shift_of(fine, 0), shift_of(fine, 1), shift_of(fine, 2)};

    for (int k = 0; k < fine->extent[2] && !coarse->idle; k++)
        for (int j = 0; j < fine->extent[1]; j++) {
            struct interval in_k = interval_of(k, shift[2]), in_j = interval_of(j, shift[1]);
            const double *a = coarse->u + at(coarse, 0, in_j.from, in_k.from);
            const double *b = coarse->u + at(coarse, 0, in_j.from + in_j.between, in_k.from);
            const double *c = coarse->u + at(coarse, 0, in_j.from, in_k.from + in_k.between);
            const double *d =
                coarse->u + at(coarse, 0, in_j.from + in_j.between, in_k.from + in_k.between);
            double *out = fine->u + at(fine, 0, j, k);

            /* Rows that coincide are the same row twice, so one formula serves all cases. */
            for (int i = 0; i < coarse->extent[0]; i++)
                solver->near[i] = 0.25 * (a[i] + b[i] + c[i] + d[i]);
            for (int i = 0; i < fine->extent[0]; i++) {
                struct interval in_i = interval_of(i, shift[0]);
                out[i] += 0.5 * (solver->near[in_i.from] + solver->near[in_i.from + in_i.between]);
            }
        }
    hand_out(solver, fine, fine->u);
}

/* One V-cycle: improves u on the finest level, whose r must be up to date. */
static void cycle(struct solver *solver)
{
    struct level *levels = solver->levels;
    int finest = solver->problem->levels;

    for (int number = finest; number > 1; number--)
        restrict_residual(solver, &levels[number], &levels[number - 1]);
    clear(&levels[1], levels[1].u);
    smooth(solver, &levels[1]);
    for (int number = 2; number <= finest; number++) {
        struct level *level = &levels[number];
        if (number < finest)
            clear(level, level->u);
        prolongate(solver, &levels[number - 1], level);
        residual(solver, level, number < finest ? level->r : solver->v);
        smooth(solver, level);
    }
}

/* The root mean square of the residual, and its largest value. */
static double norm_of(const struct solver *solver, double *largest)
{
    const struct level *level = solver->finest;
    double sum = 0, here = 0, total;

    for (int k = 1; k < level->extent[2] - 1; k++)
        for (int j = 1; j < level->extent[1] - 1; j++)
            for (int i = 1; i < level->extent[0] - 1; i++) {
                double value = level->r[at(level, i, j, k)];
                sum += value * value;
                here = fmax(here, fabs(value));
            }
    MPI_Allreduce(&here, largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(total / pow(level->points, AXES));
}

/* ---- the right side ---- */

struct candidate {
    double value;
    size_t place;
};

/* The first place of this rank's points along an axis, in the whole grid. */
static int origin_of(const struct solver *solver, int axis)
{
    return solver->place[axis] * (solver->finest->points / solver->cuts[axis]);
}

/* Fills the field with the common random numbers, one per point, in the order of the whole grid. */
static void draw_field(const struct solver *solver, double *field)
{
    const struct level *level = solver->finest;
    uint64_t points = (uint64_t)level->points;

    for (int k = 1; k < level->extent[2] - 1; k++)
        for (int j = 1; j < level->extent[1] - 1; j++) {
            uint64_t plane = (uint64_t)(origin_of(solver, 2) + k - 1), row = (uint64_t)(origin_of(solver, 1) + j - 1);
            uint64_t before = (uint64_t)origin_of(solver, 0) + points * (row + points * plane);
            uint64_t stream = random_jump(SEED, before);

            for (int i = 1; i < level->extent[0] - 1; i++)
                field[at(level, i, j, k)] = random_next(&stream);
        }
}

/*
 * This rank's CHARGES largest values (sign +1) or smallest (-1), the most extreme first. Missing ones
 * have the least extreme value there is.
 */
static void find_candidates(const struct level *level, const double *field, int sign,
                            struct candidate candidates[CHARGES])
{
    for (int c = 0; c < CHARGES; c++)
        candidates[c] = (struct candidate){sign > 0 ? 0 : 1, 0};
    for (int k = 1; k < level->extent[2] - 1; k++)
        for (int j = 1; j < level->extent[1] - 1; j++)
            for (int i = 1; i < level->extent[0] - 1; i++) {
                size_t place = at(level, i, j, k);
                int c = CHARGES;
                /* Moves the less extreme ones down to make room. */
                while (c > 0 && sign * field[place] > sign * candidates[c - 1].value) {
                    if (c < CHARGES)
                        candidates[c] = candidates[c - 1];
                    c--;
                }
                if (c < CHARGES)
                    candidates[c] = (struct candidate){field[place], place};
            }
}

/*
 * Chooses the CHARGES most extreme points of all ranks, one after the other: all compare their best
 * remaining candidate, and who has the overall best takes it and tells where it is. Gives back how
 * many of this rank's candidates were taken.
 */
static int choose(const struct solver *solver, int sign, const struct candidate candidates[CHARGES])
{
    int taken = 0;

    for (int charge = 0; charge < CHARGES; charge++) {
        double mine = candidates[taken].value, best;
        int where[4] = {0, 0, 0, 0}, chosen[4]; /* rank, place along each axis */

        MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE, sign > 0 ? MPI_MAX : MPI_MIN, MPI_COMM_WORLD);
        if (best == mine) {
            size_t place = candidates[taken++].place, row = (size_t)solver->finest->extent[0];
            size_t plane = row * (size_t)solver->finest->extent[1];

            where[0] = solver->rank;
            where[1] = origin_of(solver, 0) + (int)(place % row);
            where[2] = origin_of(solver, 1) + (int)(place % plane / row);
            where[3] = origin_of(solver, 2) + (int)(place / plane);
        }
        MPI_Allreduce(where, chosen, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    return taken;
}

/* Makes the right side v. */
static void place_charges(struct solver *solver)
{
    const struct level *level = solver->finest;
    struct candidate largest[CHARGES], smallest[CHARGES];

    draw_field(solver, solver->v);
    renew_ghosts(solver, level, solver->v);
    find_candidates(level, solver->v, 1, largest);
    find_candidates(level, solver->v, -1, smallest);
    int positive = choose(solver, 1, largest), negative = choose(solver, -1, smallest);
    clear(level, solver->v);
    for (int charge = 0; charge < negative; charge++)
        solver->v[smallest[charge].place] = -1;
    for (int charge = 0; charge < positive; charge++)
        solver->v[largest[charge].place] = 1;
    renew_ghosts(solver, level, solver->v);
}

/* ---- the benchmark ---- */

/* Brings u to 0 and v to its charges. */
static void start_over(struct solver *solver)
{
    clear(solver->finest, solver->finest->u);
    place_charges(solver);
}

int main(int argc, char **argv)
{
    struct solver solver;
    int ranks;
    double largest;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct problem *problem = find_problem(class_argument(argc, argv, 1, "mg CLASS"));
    int most_ranks = 1 << (3 * problem->levels - 3); /* two points along each axis */
    if ((ranks & (ranks - 1)) != 0 || ranks > most_ranks)
        refuse("MG class %c needs a power of two of ranks, at most %d; found %d", problem->name, most_ranks,
               ranks);
    memset(&solver, 0, sizeof solver);
    arrange(&solver, problem);
    if (solver.rank == 0)
        printf("MG class %c: %d^3 points, %d cycles, on %d ranks (%d x %d x %d)\n", problem->name,
               solver.finest->points, problem->cycles, ranks, solver.cuts[0], solver.cuts[1],
               solver.cuts[2]);

    /* One cycle ahead warms up caches and network; it does not count. */
    start_over(&solver);
    residual(&solver, solver.finest, solver.v);
    norm_of(&solver, &largest);
    cycle(&solver);
    residual(&solver, solver.finest, solver.v);
    start_over(&solver);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    residual(&solver, solver.finest, solver.v);
    norm_of(&solver, &largest);
    for (int number = 1; number <= problem->cycles; number++) {
        cycle(&solver);
        residual(&solver, solver.finest, solver.v);
    }
    double norm = norm_of(&solver, &largest);
    double seconds = MPI_Wtime() - start, longest = 0;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    /* Written so that a value that is not a number fails. */
    int verified = fabs((norm - problem->norm) / problem->norm) <= TOLERANCE;
    if (solver.rank == 0) {
        char size[32];
        double points = pow(solver.finest->points, AXES);
        printf("L2 norm of the residual is %.13e, expected %.13e\n", norm, problem->norm);
        snprintf(size, sizeof size, "%d^3", solver.finest->points);
        print_report(&(struct report){"MG", problem->name, size, problem->cycles, longest, ranks, ranks,
                                      58e-6 * problem->cycles * points, "floating point", verified});
    }
    release(&solver);
    MPI_Finalize();
    return verified ? 0 : 1;
}
