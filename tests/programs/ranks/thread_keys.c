/* smpi: ranks 1500 */
/* smpi: requires smpi */
/* smpi: compile-args -pthread */
/* smpi: expect-pass */
/* Thread-specific data: every rank has its keys, more ranks than libc has keys for, and a thread of a rank its own values,
   destroyed at its end. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t keys[2];
static int destroyed, fails, mine, others[2];

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static void *run(void *unused)
{
    (void)unused;
    if (pthread_getspecific(keys[0]) || pthread_getspecific(keys[1]))
        fails++;
    others[0] = 3;
    others[1] = 4;
    pthread_setspecific(keys[0], &others[0]);
    pthread_setspecific(keys[1], &others[1]);
    if (pthread_getspecific(keys[1]) != &others[1])
        fails++;
    return NULL;
}

int main(void)
{
    int rank, total;
    pthread_t thread;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pthread_key_create(&keys[0], destroy) || pthread_key_create(&keys[1], NULL))
        fails++;
    if (pthread_getspecific(keys[0]) || pthread_setspecific(keys[0], &mine))
        fails++;
    MPI_Barrier(MPI_COMM_WORLD);
    if (pthread_getspecific(keys[0]) != &mine)
        fails++;
    if (rank < 3) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
        if (destroyed != 3)
            fails++;
    }
    if (pthread_key_delete(keys[0]) || pthread_key_create(&keys[0], NULL) || pthread_getspecific(keys[0]))
        fails++;
    MPI_Reduce(&fails, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d\n", total ? "FAIL" : "PASS", total);
    MPI_Finalize();
    return 0;
}
