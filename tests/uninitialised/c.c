/* Data that was never written, and its right neighbours: one function for each. The program runs the one that its
 * argument names. In those that are wrong, a call that says so at the end of its line must be found. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 10 };

static int rank, size;

typedef struct {
    char kind;
    int number;
    double value;
} item;

#define NEW(type, count) ((type *)malloc((count) * sizeof(type)))

static int *numbers(int written) {
    int *all = NEW(int, N);
    for (int i = 0; i < written; i++)
        all[i] = i + 1;
    return all;
}

/* Somebody looks at integers. */
static void show(const int *all, int count) {
    for (int i = 0; i < count; i++)
        printf("rank %d: %d\n", rank, all[i]);
}

/* Rank 0 sends; the last one receives, and gives back where the data is. */
static const void *pass(const void *from, int count, MPI_Datatype type) {
    static _Alignas(16) char into[4096];
    if (rank == 0)
        MPI_Send(from, count, type, size - 1, 0, MPI_COMM_WORLD); /* unwritten */
    if (rank == size - 1)
        MPI_Recv(into, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return into;
}

static void pass_integers(const int *from, int count) { show(pass(from, count, MPI_INT), count); }

static void pass_reals(const double *from, int count) {
    const double *into = pass(from, count, MPI_DOUBLE);
    for (int i = 0; i < count; i++)
        printf("rank %d: %g\n", rank, into[i]);
}

static MPI_Datatype item_type(void) {
    int lengths[] = {1, 1, 1};
    MPI_Aint places[] = {offsetof(item, kind), offsetof(item, number), offsetof(item, value)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE}, plain, resized;
    MPI_Type_create_struct(3, lengths, places, types, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(item), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&plain);
    return resized;
}

/* ---- What is wrong. */

static void wrong_last_element(void) {
    int *all = numbers(N - 1);
    pass_integers(all, N);
    free(all);
}

static void wrong_all(void) {
    double *all = NEW(double, 3);
    pass_reals(all, 3);
    free(all);
}

static void wrong_realloc(void) {
    int *all = (int *)realloc(numbers(N), 2 * N * sizeof(int));
    pass_integers(all, N + 1);
    free(all);
}

static void wrong_after_free(void) {
    free(numbers(N));
    int *again = NEW(int, N);
    pass_integers(again, N);
    free(again);
}

static void wrong_aligned(void) {
    void *all = NULL;
    if (posix_memalign(&all, 64, 128) == 0)
        printf("%ld\n", ((const long *)pass(all, 16, MPI_LONG))[15]);
    free(all);
}

static void wrong_alloc_mem(void) {
    float *all;
    MPI_Alloc_mem(N * sizeof *all, MPI_INFO_NULL, &all);
    printf("%g\n", ((const float *)pass(all, N, MPI_FLOAT))[3]);
    MPI_Free_mem(all);
}

static void wrong_member(void) {
    MPI_Datatype type = item_type();
    item *one = NEW(item, 1);
    one->kind = 'a';
    one->value = 1;
    show(&((const item *)pass(one, 1, type))->number, 1);
    free(one);
    MPI_Type_free(&type);
}

static void wrong_column(void) {
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    int *all = NEW(int, 9);
    for (int i = 0; i < 3; i++)
        all[3 * i] = all[3 * i + 2] = i;
    show((const int *)pass(all + 1, 1, column) + 3, 1);
    free(all);
    MPI_Type_free(&column);
}

static void wrong_bytes(void) {
    char *all = NEW(char, 100);
    printf("%d\n", ((const char *)pass(all, 100, MPI_BYTE))[50]);
    free(all);
}

static void wrong_text(void) {
    char *text = NEW(char, 20);
    printf("%.5s\n", (const char *)pass(text, 20, MPI_CHAR));
    free(text);
}

static void wrong_truth(void) {
    _Bool *all = NEW(_Bool, 4);
    all[0] = all[1] = all[3] = 1;
    printf("%d\n", ((const char *)pass(all, 4, MPI_C_BOOL))[2]);
    free(all);
}

static void wrong_long_double(void) {
    long double *all = NEW(long double, 2);
    all[0] = 1;
    printf("%Lg\n", ((const long double *)pass(all, 2, MPI_LONG_DOUBLE))[1]);
    free(all);
}

static void wrong_isend(void) {
    int *all = numbers(3), here[4];
    MPI_Request request;
    MPI_Isend(all, 4, MPI_INT, rank, 0, MPI_COMM_WORLD, &request); /* unwritten */
    MPI_Recv(here, 4, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show(here, 4);
    free(all);
}

static void wrong_persistent(void) {
    int *all = numbers(N), here[N];
    MPI_Request request;
    MPI_Send_init(all, N, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    memcpy(all, NEW(int, N), sizeof here);
    MPI_Start(&request); /* unwritten */
    MPI_Recv(here, N, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    show(here, N);
    free(all);
}

static void wrong_sendrecv(void) {
    int *all = numbers(0), here;
    MPI_Sendrecv(all, 1, MPI_INT, rank, 0, &here, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* unwritten */
    show(&here, 1);
    free(all);
}

static void wrong_replace(void) {
    int *all = numbers(0);
    MPI_Sendrecv_replace(all, N, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* unwritten */
    show(all, N);
    free(all);
}

static void wrong_bcast(void) {
    int *all = numbers(N - 1);
    MPI_Bcast(all, N, MPI_INT, 0, MPI_COMM_WORLD); /* unwritten */
    show(all, N);
    free(all);
}

static void wrong_reduce(void) {
    double *sums = NEW(double, 2), result[2];
    sums[0] = 1;
    MPI_Reduce(sums, result, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); /* unwritten */
    free(sums);
}

static void wrong_allreduce_in_place(void) {
    int *all = numbers(4);
    MPI_Allreduce(MPI_IN_PLACE, all, 5, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* unwritten */
    free(all);
}

static void wrong_gather(void) {
    int *all = numbers(rank == 1 ? 1 : 2), every[2 * N] = {0};
    MPI_Gather(all, 2, MPI_INT, every, 2, MPI_INT, 0, MPI_COMM_WORLD); /* unwritten */
    show(every, 2 * size);
    free(all);
}

static void wrong_scatter(void) {
    int *all = numbers(2), here[2];
    MPI_Scatter(all, 2, MPI_INT, here, 2, MPI_INT, 0, MPI_COMM_WORLD); /* unwritten */
    show(here, 2);
    free(all);
}

static void wrong_alltoall(void) {
    int *all = numbers(1), every[N];
    MPI_Alltoall(all, 1, MPI_INT, every, 1, MPI_INT, MPI_COMM_WORLD); /* unwritten */
    show(every, size);
    free(all);
}

static void wrong_scan_nonblocking(void) {
    int *all = numbers(0), sum;
    MPI_Request request;
    MPI_Iscan(all, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* unwritten */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(all);
}

static void wrong_exscan_of_the_first(void) {
    int one = 1, *before = numbers(0);
    MPI_Exscan(&one, before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    pass_integers(before, 1);
    free(before);
}

static void wrong_reduced_elsewhere(void) {
    int one = 1, *sum = numbers(0);
    MPI_Reduce(&one, sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    pass_integers(sum, 1);
    free(sum);
}

static void wrong_pack(void) {
    int *all = numbers(1), position = 0;
    char packed[100];
    MPI_Pack(all, 2, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD); /* unwritten */
    printf("%d\n", packed[7]);
    free(all);
}

static void wrong_reduce_local(void) {
    int *all = numbers(1), sums[2] = {0, 0};
    MPI_Reduce_local(all, sums, 2, MPI_INT, MPI_SUM); /* unwritten */
    free(all);
}

static void with_window(void (*use)(MPI_Win)) {
    static int memory[N];
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        use(window);
    MPI_Win_fence(0, window);
    show(memory, N);
    MPI_Win_free(&window);
}

static void put(MPI_Win window) {
    MPI_Put(numbers(2), 3, MPI_INT, 1, 0, 3, MPI_INT, window); /* unwritten */
}

static void wrong_put(void) { with_window(put); }

static void accumulate(MPI_Win window) {
    MPI_Accumulate(numbers(2), 3, MPI_INT, 1, 0, 3, MPI_INT, MPI_SUM, window); /* unwritten */
}

static void wrong_accumulate(void) { with_window(accumulate); }

static void wrong_sum(void) {
    double *all = NEW(double, 4), sum = 0;
    for (int i = 0; i < 4; i++)
        sum += all[i];
    pass_reals(&sum, 1);
    free(all);
}

static void wrong_copy(void) {
    int *all = numbers(N - 1), copy[N];
    memcpy(copy, all, sizeof copy);
    pass_integers(copy, N);
    free(all);
}

static void wrong_short_message(void) {
    int *all = numbers(0);
    if (rank == 0)
        MPI_Send("abcdefgh", 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(all, N, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(all, 3, MPI_INT, 0, 2, MPI_COMM_WORLD); /* unwritten */
    }
    if (rank == 0)
        MPI_Recv(all, 3, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    show(all, 3);
    free(all);
}

/* Only if rank 2 is the first. */
static void wrong_in_one_order(void) {
    int *all = numbers(1), sums[2] = {0, 0}, from[2];
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    else {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Reduce_local(all, sums, from[0], MPI_INT, MPI_SUM); /* unwritten */
    }
    free(all);
}

/* The padding of the first structure is not what matters. */
static void wrong_member_as_bytes(void) {
    item *one = NEW(item, 1);
    one->kind = 'a';
    one->value = 1;
    show(&((const item *)pass(one, sizeof *one, MPI_BYTE))->number, 1);
    free(one);
}

static void wrong_decision(void) {
    int *all = numbers(0);
    if (*(const int *)pass(all, 1, MPI_INT) > 0)
        MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    else
        pass(&rank, 1, MPI_INT);
    free(all);
}

static void wrong_exit_code(void) {
    int *all = numbers(0);
    if (*(const int *)pass(all, 1, MPI_INT) > 0)
        abort();
    free(all);
}

/* ---- What is right. */

/* What nobody looks at: a message that only says that it comes, corners, and what was computed from these. */
static void right_token(void) {
    int *token = numbers(0);
    pass(token, 1, MPI_INT);
    free(token);
}

static void right_corners(void) {
    double *field = NEW(double, 25), *next = NEW(double, 25);
    for (int i = 0; i < 25; i++)
        if (i > 0 && i < 24)
            field[i] = i;
    const double *into = (const double *)pass(field, 5, MPI_DOUBLE);
    for (int i = 0; i < 25; i++)
        next[i] = field[i] + field[24 - i];
    pass(next, 25, MPI_DOUBLE);
    printf("rank %d: %g\n", rank, into[3]);
    free(field);
    free(next);
}

static void right_calloc(void) {
    int *all = (int *)calloc(N, sizeof(int));
    pass_integers(all, N);
    free(all);
}

static void right_all(void) {
    int *all = numbers(N);
    pass_integers(all, N);
    free(all);
}

static void right_as_many_as_there_are(void) {
    int *all = numbers(N / 2);
    pass_integers(all, N / 2);
    MPI_Bcast(all, N / 2, MPI_INT, 0, MPI_COMM_WORLD);
    free(all);
}

static void right_memset(void) {
    double *all = NEW(double, N);
    memset(all, 0, N * sizeof *all);
    pass_reals(all, N);
    free(all);
}

static void right_memcpy(void) {
    int *all = NEW(int, N), *from = numbers(N);
    memcpy(all, from, N * sizeof *all);
    memmove(all + 1, all, 5 * sizeof *all);
    pass_integers(all, N);
    free(all);
    free(from);
}

static void right_received(void) {
    int *all = numbers(rank == 0 ? N : 0);
    MPI_Bcast(all, N, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, all, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(all);
}

static void right_padding(void) {
    item *some = NEW(item, 3);
    for (int i = 0; i < 3; i++) {
        some[i].kind = 'a';
        some[i].number = i;
        some[i].value = i;
    }
    show(&((const item *)pass(some, 3 * sizeof(item), MPI_BYTE))->number, 1);
    MPI_Datatype type = item_type();
    pass(some, 3, type);
    MPI_Type_free(&type);
    free(some);
}

static void right_line(void) {
    char *line = NEW(char, 80);
    strcpy(line, "a word");
    printf("%s\n", (const char *)pass(line, 80, MPI_CHAR));
    free(line);
}

static void right_gaps(void) {
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    int *all = NEW(int, 9);
    for (int i = 0; i < 3; i++)
        all[3 * i + 1] = i;
    show((const int *)pass(all + 1, 1, column) + 3, 1);
    free(all);
    MPI_Type_free(&column);
}

static void right_nothing(void) {
    int *all = numbers(0), every[N];
    pass_integers(all, 0);
    MPI_Send(all, N, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Allgather(all, 0, MPI_INT, every, 0, MPI_INT, MPI_COMM_WORLD);
    free(all);
}

static void right_long_double(void) {
    long double *all = NEW(long double, 2);
    all[0] = all[1] = 1;
    printf("%Lg\n", *(const long double *)pass(all, 2, MPI_LONG_DOUBLE));
    free(all);
}

static void right_realloc(void) {
    int *all = (int *)realloc(numbers(N), 2 * N * sizeof(int));
    for (int i = N; i < 2 * N; i++)
        all[i] = i;
    pass_integers(all, 2 * N);
    free(all);
}

static void right_written_by_libraries(void) {
    int *all = NEW(int, N);
    for (int i = 0; i < N; i++)
        sscanf("17", "%d", &all[i]);
    pass_integers(all, N);
    snprintf((char *)all, N * sizeof *all, "%39d", 7);
    pass_integers(all, N);
    char *file = strdup("/tmp/uninitialised-XXXXXX");
    int descriptor = mkstemp(file);
    int *read_back = NEW(int, N);
    if (write(descriptor, all, N * sizeof *all) > 0 && lseek(descriptor, 0, SEEK_SET) == 0 &&
        read(descriptor, read_back, N * sizeof *all) > 0)
        pass_integers(read_back, N);
    close(descriptor);
    unlink(file);
    free(file);
    free(read_back);
    free(all);
}

static int compare(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }

static void right_sorted(void) {
    int *all = numbers(N);
    qsort(all, N, sizeof *all, compare);
    pass_integers(all, N);
    free(all);
}

static void right_assembler(void) {
    int *all = NEW(int, N);
#ifdef __x86_64__
    int *to = all;
    long count = N;
    __asm__ volatile("rep stosl" : "+D"(to), "+c"(count) : "a"(5) : "memory");
#else
    memset(all, 5, N * sizeof *all);
#endif
    pass_integers(all, N);
    free(all);
}

static void right_out_arguments(void) {
    int *all = NEW(int, 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &all[0]);
    MPI_Comm_size(MPI_COMM_WORLD, &all[1]);
    MPI_Type_size(MPI_INT, &all[2]);
    pass_integers(all, 3);
    free(all);
}

/* Whether a number is in the set is found out by looking at memory that may never have been written. */
static void right_sparse_set(void) {
    unsigned *dense = NEW(unsigned, 64), *sparse = NEW(unsigned, 64), count = 0;
    int found = 0;
    for (unsigned i = 0; i < 64; i += 7) {
        dense[count] = i;
        sparse[i] = count++;
    }
    for (unsigned i = 0; i < 64; i++)
        found += sparse[i] < count && dense[sparse[i]] == i;
    pass_integers(&found, 1);
    free(dense);
    free(sparse);
}

static void right_times_zero(void) {
    double *all = NEW(double, 4), sum = 0;
    for (int i = 0; i < 4; i++)
        sum += 0 * all[i] * 0;
    pass_reals(&sum, 1);
    free(all);
}

static void right_not_significant(void) {
    int *all = numbers(rank == 0 ? N : 0), *result = numbers(0), one = 1;
    MPI_Scatter(all, 1, MPI_INT, result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&one, result, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gather(&one, 1, MPI_INT, result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(all);
    free(result);
}

static void right_in_place(void) {
    int *all = numbers(0), one = 1;
    all[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    free(all);
}

static void right_packed(void) {
    int *all = numbers(2), position = 0;
    char *packed = NEW(char, 100);
    MPI_Pack(all, 2, MPI_INT, packed, 100, &position, MPI_COMM_WORLD);
    pass(packed, position, MPI_PACKED);
    pass(packed, 100, MPI_PACKED);
    free(packed);
    free(all);
}

static void right_addresses_and_times(void) {
    long *all = NEW(long, 5);
    all[0] = (long)(size_t)all;
    all[1] = (long)(size_t)&all;
    all[2] = (long)(MPI_Wtime() * 1e6);
    all[3] = (long)time(NULL);
    all[4] = rand();
    printf("%ld\n", ((const long *)pass(all, 5, MPI_LONG))[4]);
    free(all);
}

/* What the system makes different in each execution is no memory that was never written. */
static void right_clock(void) {
    struct timespec *now = NEW(struct timespec, 1);
    clock_gettime(CLOCK_MONOTONIC_RAW, now);
    FILE *random = fopen("/dev/urandom", "r");
    long *some = NEW(long, 2);
    if (random && fread(some, sizeof *some, 2, random) == 2)
        printf("%ld\n", *(const long *)pass(some, 2, MPI_LONG));
    if (random)
        fclose(random);
    pass(now, sizeof *now / sizeof(long), MPI_LONG);
    free(some);
    free(now);
}

static void right_short_message(void) {
    int *all = numbers(0), count;
    MPI_Status status;
    if (rank == 0)
        MPI_Send("abcdefgh", 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(all, N, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Send(all, count, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    if (rank == 0)
        MPI_Recv(all, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(all);
}

static void right_bit_fields(void) {
    struct fields {
        unsigned low : 16, high : 16;
    } *one = NEW(struct fields, 1);
    one->low = 1;
    one->high = 2;
    printf("%u\n", *(const unsigned *)pass(one, 1, MPI_UNSIGNED));
    free(one);
}

static void get(MPI_Win window) {
    MPI_Get(numbers(0), 3, MPI_INT, 1, 0, 3, MPI_INT, window);
}

static void right_get(void) { with_window(get); }

static void right_of_window(void) {
    int *memory;
    MPI_Win window;
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < N; i++)
        memory[i] = i;
    pass_integers(memory, N);
    MPI_Win_free(&window);
}

static void right_written_before_start(void) {
    int *all = numbers(0), here[N];
    MPI_Request request;
    MPI_Send_init(all, N, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < N; i++)
        all[i] = i;
    MPI_Start(&request);
    MPI_Recv(here, N, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    free(all);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
    CASE(wrong_last_element),
    CASE(wrong_all),
    CASE(wrong_realloc),
    CASE(wrong_after_free),
    CASE(wrong_aligned),
    CASE(wrong_alloc_mem),
    CASE(wrong_member),
    CASE(wrong_column),
    CASE(wrong_bytes),
    CASE(wrong_text),
    CASE(wrong_truth),
    CASE(wrong_long_double),
    CASE(wrong_isend),
    CASE(wrong_persistent),
    CASE(wrong_sendrecv),
    CASE(wrong_replace),
    CASE(wrong_bcast),
    CASE(wrong_reduce),
    CASE(wrong_allreduce_in_place),
    CASE(wrong_gather),
    CASE(wrong_scatter),
    CASE(wrong_alltoall),
    CASE(wrong_scan_nonblocking),
    CASE(wrong_exscan_of_the_first),
    CASE(wrong_reduced_elsewhere),
    CASE(wrong_pack),
    CASE(wrong_reduce_local),
    CASE(wrong_put),
    CASE(wrong_accumulate),
    CASE(wrong_sum),
    CASE(wrong_copy),
    CASE(wrong_short_message),
    CASE(wrong_in_one_order),
    CASE(wrong_member_as_bytes),
    CASE(wrong_decision),
    CASE(wrong_exit_code),
    CASE(right_token),
    CASE(right_corners),
    CASE(right_calloc),
    CASE(right_all),
    CASE(right_as_many_as_there_are),
    CASE(right_memset),
    CASE(right_memcpy),
    CASE(right_received),
    CASE(right_padding),
    CASE(right_line),
    CASE(right_gaps),
    CASE(right_nothing),
    CASE(right_long_double),
    CASE(right_realloc),
    CASE(right_written_by_libraries),
    CASE(right_sorted),
    CASE(right_assembler),
    CASE(right_out_arguments),
    CASE(right_sparse_set),
    CASE(right_times_zero),
    CASE(right_not_significant),
    CASE(right_in_place),
    CASE(right_packed),
    CASE(right_addresses_and_times),
    CASE(right_clock),
    CASE(right_short_message),
    CASE(right_bit_fields),
    CASE(right_get),
    CASE(right_of_window),
    CASE(right_written_before_start),
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
