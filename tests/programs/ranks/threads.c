// smpi: ranks 3
// smpi: compile-args -pthread
// smpi: expect-stdout 0: sum 4950 own 7 seen 70
// smpi: expect-stdout 1: sum 5050 own 8 seen 71
// smpi: expect-stdout 2: sum 5150 own 9 seen 72
/* A rank may have threads that do not call MPI: they share its globals and heap and have thread-local variables. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, offset;
static __thread int own = 7;

static void *work(void *argument)
{
    int *numbers = argument, *result = malloc(2 * sizeof *result);
    result[0] = 0;
    for (int i = 0; i < 100; i++)
        result[0] += numbers[i] + (i == 0 ? offset : 0);
    result[1] = own * 10 + rank;
    own = 1000;
    free(numbers);
    return result;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *result;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own += rank;
    offset = 100 * rank;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 20; round++) {
        int *numbers = malloc(100 * sizeof *numbers);
        for (int i = 0; i < 100; i++)
            numbers[i] = i;
        pthread_create(&thread, NULL, work, numbers);
        pthread_join(thread, &result);
        if (round < 19)
            free(result);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: sum %d own %d seen %d\n", rank, ((int *)result)[0], own, ((int *)result)[1]);
    free(result);
    MPI_Finalize();
    return 0;
}
