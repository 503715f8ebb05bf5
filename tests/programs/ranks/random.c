// smpi: ranks 4
// smpi: expect-stdout 0: the same as alone
// smpi: expect-stdout 1: the same as alone
// smpi: expect-stdout 2: the same as alone
// smpi: expect-stdout 3: the same as alone
/* The generators of libc give every rank the numbers that it would get alone, however ranks take turns. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 50

int main(int argc, char **argv)
{
    int rank, failures = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    char state[128] = {0};
    struct random_data data = {0};
    struct drand48_data data48 = {0};
    int32_t expected;
    double expected48;

    /* Without srand the seed is 1. */
    initstate_r(1, state, sizeof state, &data);
    for (int i = 0; i < COUNT; i++) {
        random_r(&data, &expected);
        failures += rand() != expected;
        if (i % 10 == rank)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    srand(100 + (unsigned)rank);
    srandom_r(100 + (unsigned)rank, &data);
    srand48(rank);
    srand48_r(rank, &data48);
    for (int i = 0; i < COUNT; i++) {
        random_r(&data, &expected);
        failures += random() != expected;
        MPI_Barrier(MPI_COMM_WORLD);
        drand48_r(&data48, &expected48);
        failures += drand48() != expected48;
    }
    char own[64];
    char *old = initstate(5, own, sizeof own);
    long first = random();
    setstate(old);
    random_r(&data, &expected);
    failures += random() != expected;
    MPI_Barrier(MPI_COMM_WORLD);
    srandom(5);
    setstate(own);
    srandom(5);
    failures += random() != first;

    printf("%d: %s\n", rank, failures ? "other numbers" : "the same as alone");
    MPI_Finalize();
    return failures != 0;
}
