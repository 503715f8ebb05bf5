// smpi: ranks 2
// smpi: requires smpi
// smpi: compile-args -pthread
// smpi: timeout 20
// smpi: expect-exit 134
// smpi: expect-stderr-contains smpirun: a thread of rank
// smpi: expect-stderr-contains called MPI_Barrier in work
// smpi: expect-stderr-contains only the thread that runs main() may
/* Communication of a second thread ends the run with a message. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static void *work(void *argument)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int rank;
    MPI_Init(&argc, &argv);
    pthread_create(&thread, NULL, work, &rank);
    pthread_join(thread, NULL);
    printf("a thread called MPI\n");
    MPI_Finalize();
    return 0;
}
