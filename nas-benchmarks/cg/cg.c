/*
 * CG, "conjugate gradient": how fast the ranks exchange short and medium
 * messages in patterns that follow from a sparse matrix.
 *
 * The task is to estimate the smallest eigenvalue of a large, sparse, random,
 * symmetric matrix A by the inverse power method. Each step of it solves
 * A z = x with 25 iterations of the conjugate gradient method, and takes z,
 * scaled to length 1, as the next x. The estimate is  zeta = shift + 1 / (x, z).
 *
 * The ranks form a grid with R rows and C columns, C = R or C = 2 R, and the
 * matrix is cut up in the same way; a rank holds one block of it:
 *
 *                 column 0   column 1 ...
 *      row 0   [  block      block    ]      a block needs the part of p that
 *      row 1   [  block      block    ]      belongs to its columns, and yields
 *       ...                                  a part of A p for its rows
 *
 * Vectors are cut up by columns: all ranks of a grid column hold the same part.
 * Three patterns of messages follow, all written out with MPI_Irecv, MPI_Send
 * and MPI_Wait, the way it was done before there were collectives on parts of
 * the ranks:
 *
 *   dot product     a sum over the ranks of a grid row: log2 C exchanges of one
 *                   number, with partners at distances C/2, C/4 ... 1;
 *   A p, first      the blocks' products are summed over a grid row likewise, at
 *                   distances 1, 2 ... C/2;
 *   A p, second     the sum is cut up by rows, but is needed by columns: ranks
 *                   swap it with the one at the mirrored place of the grid.
 *
 * With C = 2 R two neighbouring columns of the grid belong to one row of it. So
 * the exchange at distance 1 splits the sum, and each of the two goes on with
 * its half.
 *
 * Source: NASA report NAS-95-020, section 2.4; the values of zeta are the
 * published ones of NPB 3.4.
 *
 * Usage: smpirun -platform P -np N ./cg CLASS      N is a power of two
 */
#include "../common/random.h"
#include "../common/report.h"

#include <math.h>
#include <string.h>

#define SEED UINT64_C(314159265)
#define SOLVER_STEPS 25
#define CONDITION 0.1    /* the reciprocal of the matrix' condition number */
#define DIAGONAL_FILL 0.5
#define MAX_NONZEROS 15  /* of a random vector, over all classes */
#define TOLERANCE 1e-10
#define TAG 1

struct problem {
    char name;
    int order;      /* of the matrix */
    int nonzeros;   /* drawn for each of the random vectors that the matrix is made of */
    int iterations; /* of the inverse power method */
    double shift;
    double zeta;    /* expected */
};

static const struct problem problems[] = {
    {'S', 1400, 7, 15, 10.0, 8.5971775078648},
    {'W', 7000, 8, 15, 12.0, 10.362595087124},
    {'A', 14000, 11, 15, 20.0, 17.130235054029},
    {'B', 75000, 13, 75, 60.0, 22.712745482631},
    {'C', 150000, 15, 75, 110.0, 28.973605592845},
};

/* A range of row or column numbers. */
struct range {
    int first, count;
};

/* Where this rank is in the grid, and what follows from that. */
struct grid {
    int rank, ranks;
    int rows, columns;
    struct range block_rows, block_columns; /* of this rank's block of the matrix */
    struct range segment; /* of the block's rows, from 0: what this rank has of a sum over its grid row */
    int mirror;           /* the rank whose segment is this rank's part of the vectors */
};

/* A block in compressed rows: row i has the entries from starts[i] up to starts[i + 1]. Numbers are local. */
struct block {
    int *starts;
    int *columns;
    double *values;
};

/* The vectors of the solver. All are cut up by columns, but `product`, which is by rows. */
struct vectors {
    double *x, *z, *p, *q, *r;
    double *product;
    double *incoming; /* what a partner sent */
};

static const struct problem *find_problem(char name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (problems[i].name == name)
            return &problems[i];
    refuse("unknown class '%c': expected S, W, A, B or C", name);
    return NULL;
}

/* Part number `part` of `total` things in `parts` parts that differ by one at most; larger parts come first. */
static struct range share_of(int total, int parts, int part)
{
    int small = total / parts, larger_parts = total % parts;

    return (struct range){part * small + (part < larger_parts ? part : larger_parts),
                          small + (part < larger_parts)};
}

static void arrange(struct grid *grid, int order)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &grid->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &grid->ranks);
    grid->rows = 1;
    while (4 * grid->rows * grid->rows <= grid->ranks)
        grid->rows *= 2;
    grid->columns = grid->ranks / grid->rows;

    int row = grid->rank / grid->columns, column = grid->rank % grid->columns;
    grid->block_rows = share_of(order, grid->rows, row);
    if (grid->columns == grid->rows) {
        grid->block_columns = share_of(order, grid->columns, column);
        grid->segment = (struct range){0, grid->block_rows.count};
        grid->mirror = column * grid->columns + row;
    } else {
        /* Columns 2 k and 2 k + 1 of the grid are the two halves of what row k is to the rows. */
        int pair = column / 2, half = column % 2;
        struct range whole = share_of(order, grid->rows, pair);
        struct range part = share_of(whole.count, 2, half);

        grid->block_columns = (struct range){whole.first + part.first, part.count};
        grid->segment = share_of(grid->block_rows.count, 2, half);
        grid->mirror = pair * grid->columns + 2 * row + half;
    }
}

/* ---- the matrix ---- */

/*
 * Draws one sparse vector: `nonzeros` values at different random places, and DIAGONAL_FILL at the
 * place `own`. Gives back how many entries it has.
 */
static int draw_vector(uint64_t *stream, const struct problem *problem, int own, int *places,
                       double *values)
{
    int count = 0, scale = 1;

    while (scale < problem->order)
        scale *= 2;
    while (count < problem->nonzeros) {
        double value = random_next(stream);
        int place = (int)(scale * random_next(stream));
        int known = place >= problem->order;

        for (int i = 0; i < count && !known; i++)
            known = places[i] == place;
        if (!known) {
            places[count] = place;
            values[count++] = value;
        }
    }
    for (int i = 0; i < count; i++)
        if (places[i] == own) {
            values[i] = DIAGONAL_FILL;
            return count;
        }
    places[count] = own;
    values[count] = DIAGONAL_FILL;
    return count + 1;
}

/* Appends an entry to its row of the block; in the first pass (no values yet) only counts it. */
static void put(struct block *block, int *used, int row, int column, double value)
{
    if (block->values != NULL) {
        block->columns[block->starts[row] + used[row]] = column;
        block->values[block->starts[row] + used[row]] = value;
    }
    used[row]++;
}

/*
 * Puts this rank's part of  A = sum over k of w_k v_k v_k^T + (CONDITION - shift) I  into the block.
 * The v_k are the random sparse vectors; their weights w_k fall geometrically from 1 to CONDITION.
 * Every rank draws all vectors and keeps what falls into its block.
 */
static void put_entries(struct block *block, int *used, const struct problem *problem,
                        const struct grid *grid)
{
    struct range rows = grid->block_rows, columns = grid->block_columns;
    uint64_t stream = random_jump(SEED, 1); /* the first number is not used */
    double weight = 1, ratio = pow(CONDITION, 1.0 / problem->order);
    int places[MAX_NONZEROS + 1];
    double values[MAX_NONZEROS + 1];

    for (int k = 0; k < problem->order; k++, weight *= ratio) {
        int count = draw_vector(&stream, problem, k, places, values);
        for (int j = 0; j < count; j++) {
            int column = places[j] - columns.first;
            if (column < 0 || column >= columns.count)
                continue;
            for (int i = 0; i < count; i++) {
                int row = places[i] - rows.first;
                if (row >= 0 && row < rows.count)
                    put(block, used, row, column, weight * values[j] * values[i]);
            }
        }
    }
    for (int row = 0; row < rows.count; row++) {
        int column = rows.first + row - columns.first;
        if (column >= 0 && column < columns.count)
            put(block, used, row, column, CONDITION - problem->shift);
    }
}

/* Adds up entries at the same place and closes the gaps. */
static void merge_entries(struct block *block, int rows, int columns)
{
    int *place_of = new_array((size_t)columns, sizeof *place_of); /* where a column's entry is */
    int used = 0;

    for (int column = 0; column < columns; column++)
        place_of[column] = -1;
    for (int row = 0; row < rows; row++) {
        int first = used, entry = block->starts[row], end = block->starts[row + 1];
        for (block->starts[row] = first; entry < end; entry++) {
            int column = block->columns[entry];
            if (place_of[column] >= first) {
                block->values[place_of[column]] += block->values[entry];
            } else {
                place_of[column] = used;
                block->columns[used] = column;
                block->values[used++] = block->values[entry];
            }
        }
    }
    block->starts[rows] = used;
    free(place_of);
}

/* Makes the block in two passes over the same random numbers: how long the rows are, then what is in them. */
static struct block make_block(const struct problem *problem, const struct grid *grid)
{
    int rows = grid->block_rows.count;
    struct block block = {new_array((size_t)rows + 1, sizeof(int)), NULL, NULL};
    int *used = new_array((size_t)rows, sizeof *used);

    put_entries(&block, used, problem, grid);
    for (int row = 0; row < rows; row++)
        block.starts[row + 1] = block.starts[row] + used[row];
    block.columns = new_array((size_t)block.starts[rows], sizeof *block.columns);
    block.values = new_array((size_t)block.starts[rows], sizeof *block.values);
    memset(used, 0, (size_t)rows * sizeof *used);
    put_entries(&block, used, problem, grid);
    free(used);
    merge_entries(&block, rows, grid->block_columns.count);
    return block;
}

/* ---- communication ---- */

/* Sends to and receives from the same partner. The receive is posted first: both partners send at the same time. */
static void exchange(int partner, const double *out, int out_count, double *in, int in_count)
{
    MPI_Request request;

    MPI_Irecv(in, in_count, MPI_DOUBLE, partner, TAG, MPI_COMM_WORLD, &request);
    MPI_Send(out, out_count, MPI_DOUBLE, partner, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*
 * Sums one or two numbers over the ranks of a grid row. The number of columns is a power of two, and
 * rank = row * columns + column, so the partner at a distance differs from the rank in one bit.
 */
static void sum_numbers(const struct grid *grid, double *numbers, int count)
{
    double others[2];

    for (int distance = grid->columns / 2; distance >= 1; distance /= 2) {
        exchange(grid->rank ^ distance, numbers, count, others, count);
        for (int i = 0; i < count; i++)
            numbers[i] += others[i];
    }
}

static double dot(const struct grid *grid, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < grid->block_columns.count; i++)
        sum += a[i] * b[i];
    sum_numbers(grid, &sum, 1);
    return sum;
}

/* Sums the blocks' products over the grid row; afterwards this rank has the sum of its segment. */
static void sum_products(const struct grid *grid, double *product, double *incoming)
{
    struct range mine = grid->segment;

    for (int distance = 1; distance < grid->columns; distance *= 2) {
        struct range out = mine;
        if (distance == 1 && grid->columns != grid->rows) {
            /* The two of a pair give each other the half that is the other's. */
            out.first = mine.first == 0 ? mine.count : 0;
            out.count = grid->block_rows.count - mine.count;
        }
        exchange(grid->rank ^ distance, product + out.first, out.count, incoming, mine.count);
        for (int i = 0; i < mine.count; i++)
            product[mine.first + i] += incoming[i];
    }
}

/* out = A in, for vectors cut up by columns. */
static void multiply(const struct grid *grid, const struct block *block, const double *in, double *out,
                     struct vectors *vectors)
{
    double *product = vectors->product;
    struct range mine = grid->segment;

    for (int row = 0; row < grid->block_rows.count; row++) {
        double sum = 0;
        for (int entry = block->starts[row]; entry < block->starts[row + 1]; entry++)
            sum += block->values[entry] * in[block->columns[entry]];
        product[row] = sum;
    }
    sum_products(grid, product, vectors->incoming);
    if (grid->ranks == 1)
        memcpy(out, product, (size_t)mine.count * sizeof *out);
    else /* a rank on the grid's diagonal is its own mirror and sends to itself */
        exchange(grid->mirror, product + mine.first, mine.count, out, grid->block_columns.count);
}

/* ---- the method ---- */

/* Solves A z = x approximately; gives back the length of the residual x - A z. */
static double solve(const struct grid *grid, const struct block *block, struct vectors *vectors)
{
    int count = grid->block_columns.count;
    double *z = vectors->z, *p = vectors->p, *q = vectors->q, *r = vectors->r;

    for (int i = 0; i < count; i++) {
        z[i] = 0;
        r[i] = p[i] = vectors->x[i];
    }
    double rho = dot(grid, r, r);
    for (int step = 0; step < SOLVER_STEPS; step++) {
        multiply(grid, block, p, q, vectors);
        double alpha = rho / dot(grid, p, q);
        for (int i = 0; i < count; i++) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next_rho = dot(grid, r, r);
        double beta = next_rho / rho;
        rho = next_rho;
        for (int i = 0; i < count; i++)
            p[i] = r[i] + beta * p[i];
    }
    /* r above is what rounding left of the residual; this is the true one. */
    multiply(grid, block, z, r, vectors);
    for (int i = 0; i < count; i++)
        r[i] = vectors->x[i] - r[i];
    return sqrt(dot(grid, r, r));
}

/* One step of the inverse power method; gives back the estimate of the eigenvalue. */
static double power_step(const struct problem *problem, const struct grid *grid,
                         const struct block *block, struct vectors *vectors, double *residual)
{
    double sums[2] = {0, 0}; /* (x, z) and (z, z) */

    *residual = solve(grid, block, vectors);
    for (int i = 0; i < grid->block_columns.count; i++) {
        sums[0] += vectors->x[i] * vectors->z[i];
        sums[1] += vectors->z[i] * vectors->z[i];
    }
    sum_numbers(grid, sums, 2);
    for (int i = 0; i < grid->block_columns.count; i++)
        vectors->x[i] = vectors->z[i] / sqrt(sums[1]);
    return problem->shift + 1 / sums[0];
}

static void start_vector(const struct grid *grid, struct vectors *vectors)
{
    for (int i = 0; i < grid->block_columns.count; i++)
        vectors->x[i] = 1;
}

static struct vectors new_vectors(const struct grid *grid)
{
    size_t by_columns = (size_t)grid->block_columns.count, by_rows = (size_t)grid->block_rows.count;

    return (struct vectors){
        new_array(by_columns, sizeof(double)), new_array(by_columns, sizeof(double)),
        new_array(by_columns, sizeof(double)), new_array(by_columns, sizeof(double)),
        new_array(by_columns, sizeof(double)), new_array(by_rows, sizeof(double)),
        new_array(by_rows, sizeof(double)),
    };
}

static void release(struct block *block, struct vectors *vectors)
{
    double *arrays[] = {vectors->x, vectors->z, vectors->p, vectors->q, vectors->r, vectors->product,
                        vectors->incoming, block->values};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(block->starts);
    free(block->columns);
}

/* The method's operations, by the count that the NAS benchmarks agreed on. */
static double million_operations(const struct problem *problem)
{
    double row = problem->nonzeros * (problem->nonzeros + 1.0);

    return 2e-6 * problem->iterations * problem->order *
           (3 + row + SOLVER_STEPS * (5 + row) + 3);
}

int main(int argc, char **argv)
{
    struct grid grid;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const struct problem *problem = find_problem(class_argument(argc, argv, 1, "cg CLASS"));
    if ((ranks & (ranks - 1)) != 0 || ranks > problem->order)
        refuse("CG class %c needs a power of two of ranks, at most %d; found %d", problem->name,
               problem->order, ranks);
    arrange(&grid, problem->order);
    if (grid.rank == 0)
        printf("CG class %c: order %d, %d iterations, on %d ranks (%d x %d)\n", problem->name,
               problem->order, problem->iterations, ranks, grid.rows, grid.columns);

    struct block block = make_block(problem, &grid);
    struct vectors vectors = new_vectors(&grid);
    double residual, zeta = 0;

    /* One step ahead warms up caches and network; it does not count. */
    start_vector(&grid, &vectors);
    power_step(problem, &grid, &block, &vectors, &residual);
    start_vector(&grid, &vectors);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (grid.rank == 0)
        printf("   iteration           ||r||                 zeta\n");
    for (int iteration = 1; iteration <= problem->iterations; iteration++) {
        zeta = power_step(problem, &grid, &block, &vectors, &residual);
        if (grid.rank == 0)
            printf("    %5d       %20.14e%20.13f\n", iteration, residual, zeta);
    }
    double seconds = MPI_Wtime() - start, longest = 0;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    /* Written so that a value that is not a number fails. */
    int verified = fabs((zeta - problem->zeta) / problem->zeta) <= TOLERANCE;
    if (grid.rank == 0) {
        char size[32];
        printf("zeta is %.13e, expected %.13e\n", zeta, problem->zeta);
        snprintf(size, sizeof size, "%d", problem->order);
        print_report(&(struct report){"CG", problem->name, size, problem->iterations, longest, ranks,
                                      ranks, million_operations(problem), "floating point",
                                      verified});
    }
    release(&block, &vectors);
    MPI_Finalize();
    return verified ? 0 : 1;
}
