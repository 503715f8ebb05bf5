/* Variables of functions that were never written, and their right neighbours: one function for each. The program runs
 * the one that its argument names. In those that are wrong, a call that says so at the end of its line must be found. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 10 };

static int rank, size;

typedef struct {
    char kind;
    int number;
    double value;
} item;

/* Rank 0 sends; the last one receives, and gives back where the data is. */
static const void *pass(const void *from, int count, MPI_Datatype type) {
    static _Alignas(16) char into[4096];
    if (rank == 0)
        MPI_Send(from, count, type, size - 1, 0, MPI_COMM_WORLD); /* unwritten */
    if (rank == size - 1)
        MPI_Recv(into, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return into;
}

static void pass_integers(const int *from, int count) {
    const int *all = pass(from, count, MPI_INT);
    for (int i = 0; i < count; i++)
        printf("rank %d: %d\n", rank, all[i]);
}

static void fill(int *all, int count) {
    for (int i = 0; i < count; i++)
        all[i] = i + 1;
}

/* Leaves something on the stack that is not zero. */
static __attribute__((noinline)) int litter(void) {
    volatile int all[200];
    for (int i = 0; i < 200; i++)
        all[i] = i + 7;
    return all[rank];
}

/* ---- What is wrong. */

static void wrong_integer(void) {
    int one;
    pass_integers(&one, 1);
}

static void wrong_after_another_function(void) {
    if (litter() < 0)
        return;
    int all[20];
    pass_integers(all, 20);
}

static void wrong_last_element(void) {
    int all[N];
    fill(all, N - 1);
    pass_integers(all, N);
}

static void wrong_double(void) {
    double one;
    printf("%g\n", *(const double *)pass(&one, 1, MPI_DOUBLE));
}

static void wrong_member(void) {
    int lengths[] = {1, 1};
    MPI_Aint places[] = {offsetof(item, number), offsetof(item, value)};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, type;
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    item one;
    one.kind = 'a';
    one.value = 1;
    printf("%d\n", ((const item *)pass(&one, 1, type))->number);
    MPI_Type_free(&type);
}

static void wrong_variable_length(void) {
    int count = size + 5;
    short all[count];
    memset(all, 0, count);
    printf("%d\n", ((const short *)pass(all, count, MPI_SHORT))[count - 1]);
}

static void wrong_text(void) {
    char text[40];
    printf("%.5s\n", (const char *)pass(text, 40, MPI_CHAR));
}

static void wrong_sum(void) {
    double mine[4], sum[4];
    mine[0] = mine[2] = mine[3] = rank;
    MPI_Allreduce(mine, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* unwritten */
    printf("%g\n", sum[0]);
}

static void wrong_one_path(void) {
    int answer;
    if (size > 100)
        answer = 1;
    pass_integers(&answer, 1);
}

static void wrong_decision(void) {
    int goes_on;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD); /* unwritten */
    if (goes_on)
        MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* ---- What is right. */

static void right_all(void) {
    int all[N];
    fill(all, N);
    pass_integers(all, N);
}

static void right_first_ones(void) {
    int all[1000];
    fill(all, N);
    pass_integers(all, N);
}

static void right_token(void) {
    int token;
    pass(&token, 1, MPI_INT);
}

static void right_corners(void) {
    int all[N];
    fill(all + 1, N - 2);
    printf("%d\n", ((const int *)pass(all, N, MPI_INT))[3]);
}

static void right_padding(void) {
    item one;
    one.kind = 'a';
    one.number = 1;
    one.value = 2;
    printf("%g\n", ((const item *)pass(&one, sizeof one, MPI_BYTE))->value);
}

static void right_line(void) {
    char line[80];
    snprintf(line, sizeof line, "rank %d", rank);
    printf("%s\n", (const char *)pass(line, sizeof line, MPI_CHAR));
}

static void right_bytes_of_the_pattern(void) {
    unsigned char all[6];
    memset(all, 0xfe, sizeof all);
    printf("%d\n", ((const unsigned char *)pass(all, 6, MPI_UNSIGNED_CHAR))[5]);
}

static void right_small_negative(void) {
    short all[3] = {-258, -258, 5};
    int one = -2;
    printf("%d\n", ((const short *)pass(all, 3, MPI_SHORT))[1]);
    pass_integers(&one, 1);
}

static void right_received(void) {
    int all[N], from = rank;
    MPI_Bcast(&from, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        MPI_Reduce(&i, all + i, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    pass_integers(all, N);
}

static void right_written_by_libraries(void) {
    int ends[2], all[N], more[N];
    fill(more, N);
    if (pipe(ends) != 0 || write(ends[1], more, sizeof more) != sizeof more || read(ends[0], all, sizeof all) != sizeof all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(ends[0]);
    close(ends[1]);
    pass_integers(all, N);
}

static void right_not_significant(void) {
    int all[3], mine = rank;
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", all[2]);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
    CASE(wrong_integer),
    CASE(wrong_after_another_function),
    CASE(wrong_last_element),
    CASE(wrong_double),
    CASE(wrong_member),
    CASE(wrong_variable_length),
    CASE(wrong_text),
    CASE(wrong_sum),
    CASE(wrong_one_path),
    CASE(wrong_decision),
    CASE(right_all),
    CASE(right_first_ones),
    CASE(right_token),
    CASE(right_corners),
    CASE(right_padding),
    CASE(right_line),
    CASE(right_bytes_of_the_pattern),
    CASE(right_small_negative),
    CASE(right_received),
    CASE(right_written_by_libraries),
    CASE(right_not_significant),
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
