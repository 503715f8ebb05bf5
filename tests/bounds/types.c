/* Datatypes that are what the variables were declared to be, by representation, and datatypes that are not: those lines
 * say "other type". The sizes fit, and the messages. Also compiled as C++. */
#include <alloca.h>
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int rank;
static char sink[1 << 16];

/* Rank 0 sends, and rank 1 has room. */
#define SEND(buffer, count, type)                                                              \
    (rank == 0 ? MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD)                           \
               : MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
/* Rank 0 asks for more than the four bytes that it gets. */
#define RECV(buffer, count, type)                                                                      \
    (rank == 0 ? MPI_Recv(buffer, count, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)                \
               : MPI_Send(sink, 4, MPI_PACKED, 0, 0, MPI_COMM_WORLD))

enum colour { red, green };
typedef double length;
typedef struct {
    length x, y;
} place;
struct particle {
    char kind;
    place where[2];
    int charge;
    float mass;
};
struct bits {
    int whole;
    unsigned low : 3, high : 29;
    double after;
};
union word {
    int number;
    float real;
};
struct tagged {
    int tag;
    union {
        double value;
        long count;
    } is;
};

static int number, numbers[12], grid[3][4];
static unsigned positive[4];
static long wide[4];
static float reals[8];
static double precise[6];
static place places[3];
static struct particle particles[4];
static union word word;
static void *pointer;
static enum colour colour;

static void scalars(void) {
    short small = 1;
    long long longer = 2;
    double one = 3;
    long double longest = 4;
    float single = 5;
    char letter = 'a', text[16] = {0};
    unsigned char bytes[16] = {0};
    int8_t tiny[8] = {0};
    size_t size = 6;
    wchar_t letters[4] = {0};
    uint64_t exact = 7;
    bool flag = true;
    const volatile int fixed = 8;
    SEND(&number, 1, MPI_INT);
    SEND(&number, 1, MPI_UNSIGNED);
    SEND(&number, 1, MPI_INT32_T);
    SEND(&number, 1, MPI_INTEGER);
    SEND(&number, 1, MPI_LOGICAL);
    SEND(&number, 4, MPI_BYTE);
    SEND(&number, 4, MPI_CHAR);
    SEND(&number, 1, MPI_FLOAT); /* other type */
    SEND(&number, 2, MPI_SHORT); /* other type */
    SEND(positive, 4, MPI_INT);
    SEND(positive, 2, MPI_LONG); /* other type */
    SEND(wide, 4, MPI_LONG_LONG);
    SEND(wide, 4, MPI_AINT);
    SEND(wide, 4, MPI_UINT64_T);
    SEND(wide, 4, MPI_DOUBLE); /* other type */
    SEND(wide, 4, MPI_INT); /* other type */
    SEND(&small, 1, MPI_SHORT);
    SEND(&small, 1, MPI_INT16_T);
    SEND(&longer, 1, MPI_LONG);
    SEND(&longer, 1, MPI_OFFSET);
    SEND(&longer, 2, MPI_INT); /* other type */
    SEND(&one, 1, MPI_DOUBLE);
    SEND(&one, 1, MPI_DOUBLE_PRECISION);
    SEND(&one, 1, MPI_FLOAT); /* other type */
    SEND(&one, 1, MPI_LONG); /* other type */
    SEND(&one, 2, MPI_FLOAT); /* other type */
    SEND(&longest, 1, MPI_LONG_DOUBLE);
    SEND(&longest, 2, MPI_DOUBLE); /* other type */
    SEND(&single, 1, MPI_FLOAT);
    SEND(&single, 1, MPI_REAL4);
    SEND(&single, 1, MPI_INT); /* other type */
    SEND(&letter, 1, MPI_CHAR);
    SEND(&letter, 1, MPI_SIGNED_CHAR);
    SEND(text, 4, MPI_INT);
    SEND(bytes, 2, MPI_DOUBLE);
    SEND(tiny, 8, MPI_INT8_T);
    SEND(&size, 1, MPI_UNSIGNED_LONG);
    SEND(&size, 1, MPI_COUNT);
    SEND(&size, 1, MPI_UNSIGNED); /* other type */
    SEND(letters, 4, MPI_WCHAR);
    SEND(letters, 4, MPI_FLOAT); /* other type */
    SEND(&exact, 1, MPI_UNSIGNED_LONG_LONG);
    SEND(&flag, 1, MPI_C_BOOL);
    SEND(&number, 1, MPI_C_BOOL); /* other type */
    SEND((const int *)&fixed, 1, MPI_INT);
    SEND((const int *)&fixed, 1, MPI_FLOAT); /* other type */
    SEND(&colour, 1, MPI_INT);
    SEND(&colour, 1, MPI_FLOAT); /* other type */
    SEND(&pointer, 1, MPI_AINT);
    SEND(&pointer, 1, MPI_DOUBLE); /* other type */
    RECV(numbers, 12, MPI_INT);
    RECV(numbers, 12, MPI_FLOAT); /* other type */
}

static void arrays(int n) {
    int row[5] = {0}, vla[n];
    float field[2][3] = {{0}};
    double *somewhere = (double *)alloca(n * sizeof(double)), none[1] = {0};
    const place *const middle = &places[1];
    memset(vla, 0, n * sizeof(int));
    memset(somewhere, 0, n * sizeof(double));
    SEND(numbers, 12, MPI_INT);
    SEND(numbers, 6, MPI_DOUBLE); /* other type */
    SEND(numbers + 3, 5, MPI_UNSIGNED);
    SEND(numbers + 3, 4, MPI_INT64_T); /* other type */
    SEND(grid, 12, MPI_INT);
    SEND(grid[1], 8, MPI_INT);
    SEND(grid[2] + 1, 3, MPI_FLOAT); /* other type */
    SEND(reals, 8, MPI_FLOAT);
    SEND(reals, 4, MPI_DOUBLE); /* other type */
    SEND(reals, 4, MPI_C_FLOAT_COMPLEX);
    SEND(precise, 3, MPI_C_DOUBLE_COMPLEX);
    SEND(precise, 3, MPI_2DOUBLE_PRECISION);
    SEND(precise, 6, MPI_C_FLOAT_COMPLEX); /* other type */
    SEND(numbers, 3, MPI_2INT);
    SEND(reals, 2, MPI_2INT); /* other type */
    SEND(row, 5, MPI_INT);
    SEND(row + 1, 4, MPI_FLOAT); /* other type */
    SEND(field, 6, MPI_FLOAT);
    SEND(field[1], 3, MPI_INT); /* other type */
    SEND(vla, n, MPI_FLOAT);
    SEND(somewhere, n, MPI_LONG);
    SEND(none, 0, MPI_INT);
    SEND(places, 6, MPI_DOUBLE);
    SEND(&middle->y, 1, MPI_DOUBLE);
    SEND(&places[1].y, 3, MPI_DOUBLE);
    SEND(&places[1].y, 3, MPI_LONG); /* other type */
}

/* Structures: as they are, with members left out, in another order, wrong in one member. */
static void structures(void) {
    struct particle own[2] = {{0}}, one = {0};
    struct tagged tagged = {0};
    struct bits bits = {0};
    struct {
        double value;
        int index;
    } best = {1.0, 2};
    const int lengths[4] = {1, 4, 1, 1};
    const MPI_Aint at[4] = {offsetof(struct particle, kind), offsetof(struct particle, where),
                            offsetof(struct particle, charge), offsetof(struct particle, mass)};
    const MPI_Datatype right[4] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_FLOAT};
    const MPI_Datatype swapped[4] = {MPI_CHAR, MPI_DOUBLE, MPI_FLOAT, MPI_INT};
    MPI_Datatype type, padded;
    MPI_Type_create_struct(4, lengths, at, right, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct particle), &padded);
    MPI_Type_commit(&padded);
    SEND(particles, 4, padded);
    SEND(particles + 1, 3, padded);
    SEND(own, 2, padded);
    SEND(&one, 1, padded);
    SEND((char *)particles + sizeof(double), 1, padded); /* other type */
    SEND(places, 1, padded); /* other type */
    MPI_Type_free(&padded);
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, lengths + 1, at + 1, right + 1, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct particle), &padded);
    MPI_Type_commit(&padded);
    SEND(particles, 4, padded);
    MPI_Type_free(&padded);
    MPI_Type_free(&type);
    MPI_Type_create_struct(4, lengths, at, swapped, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct particle), &padded);
    MPI_Type_commit(&padded);
    SEND(particles, 4, padded); /* other type */
    SEND(own, 2, padded); /* other type */
    SEND(&one, 1, padded); /* other type */
    MPI_Type_free(&padded);
    MPI_Type_free(&type);
    SEND(&one.charge, 1, MPI_INT);
    SEND(&one.mass, 1, MPI_INT); /* other type */
    SEND(&one.where[1], 2, MPI_DOUBLE);
    SEND(&one.where[1], 3, MPI_DOUBLE); /* other type: the integer and the float behind them */
    SEND(&one, (int)sizeof one, MPI_BYTE);
    SEND(&tagged.is, 1, MPI_DOUBLE);
    SEND(&tagged.is, 1, MPI_LONG);
    SEND(&tagged.is, 2, MPI_INT); /* other type */
    SEND(&word, 1, MPI_INT);
    SEND(&word, 1, MPI_FLOAT);
    SEND(&word, 2, MPI_SHORT); /* other type */
    SEND(&bits.whole, 2, MPI_INT);
    SEND(&bits.after, 1, MPI_DOUBLE);
    SEND(&bits.after, 1, MPI_LONG); /* other type */
    SEND(&best, 1, MPI_DOUBLE_INT);
    SEND(&best, 1, MPI_LONG_INT); /* other type */
    SEND(&best, 2, MPI_DOUBLE); /* other type */
}

/* Columns, blocks, absolute addresses. */
static void derived(void) {
    MPI_Datatype column, others, far, twice;
    MPI_Aint ends[2];
    const int ones[2] = {1, 1};
    const MPI_Datatype kinds[2] = {MPI_INT, MPI_DOUBLE}, others_of[2] = {MPI_INT, MPI_LONG};
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_vector(3, 1, 4, MPI_FLOAT, &others);
    MPI_Type_contiguous(2, MPI_DOUBLE, &twice);
    MPI_Type_commit(&column);
    MPI_Type_commit(&others);
    MPI_Type_commit(&twice);
    SEND(&grid[0][3], 1, column);
    SEND(&grid[0][2], 1, others); /* other type */
    SEND(numbers + 2, 1, column);
    SEND(places, 3, twice);
    SEND(wide, 2, twice); /* other type */
    SEND(precise, 3, twice);
    MPI_Get_address(&number, &ends[0]);
    MPI_Get_address(&precise[4], &ends[1]);
    MPI_Type_create_struct(2, ones, ends, kinds, &far);
    MPI_Type_commit(&far);
    SEND(MPI_BOTTOM, 1, far);
    MPI_Type_free(&far);
    MPI_Type_create_struct(2, ones, ends, others_of, &far);
    MPI_Type_commit(&far);
    SEND(MPI_BOTTOM, 1, far); /* other type */
    MPI_Type_free(&far);
    MPI_Type_free(&column);
    MPI_Type_free(&others);
    MPI_Type_free(&twice);
}

static void others(void) {
    int here = rank, all[2] = {0}, place = 0;
    float reals_here[2] = {0};
    double *block = (double *)calloc(4, sizeof(double)), *nowhere = NULL;
    MPI_Gather(&here, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&here, 1, MPI_INT, reals_here, 1, MPI_INT, 0, MPI_COMM_WORLD); /* other type */
    MPI_Allreduce(&here, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&here, all, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); /* other type */
    MPI_Bcast(reals_here, 2, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Bcast(reals_here, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* other type */
    MPI_Pack(all, 2, MPI_INT, sink, sizeof sink, &place, MPI_COMM_WORLD);
    MPI_Pack(all, 2, MPI_FLOAT, sink, sizeof sink, &place, MPI_COMM_WORLD); /* other type */
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    /* Memory of the heap has no type; but a pointer to it is no number. */
    SEND(block, 4, MPI_LONG);
    SEND(&block, 1, MPI_DOUBLE); /* other type */
    SEND(nowhere, 0, MPI_INT);
    free(block);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scalars();
    arrays(4);
    structures();
    derived();
    others();
    MPI_Finalize();
    return 0;
}
