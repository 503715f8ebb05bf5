/* smpi: ranks 2 */
/* smpi: compile-args -pthread */
/* smpi: library parts/thread_local_library.c */
/* smpi: plain-library */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Threads of a rank reach the thread-local variables of libraries that the ranks share, each its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

extern __thread int library_variable;
int library_bump(void);

static void *work(void *result)
{
    int before = library_variable;
    library_variable += 10;
    *(int *)result = before == 4 && library_bump() == 15 && library_variable == 15;
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, right[2] = {0, 0}, all = 0, ok;
    pthread_t threads[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, &right[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    ok = right[0] && right[1];
    MPI_Reduce(&ok, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        puts(all ? "PASS" : "FAIL");
    }
    MPI_Finalize();
    return 0;
}
