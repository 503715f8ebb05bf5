// smpi: ranks 2
// smpi: requires smpi
// smpi: compile-args -pthread -g
// smpi: timeout 20
// smpi: expect-exit 139
// smpi: expect-stderr-contains a thread of rank 1: SIGSEGV (invalid memory access, through a null pointer) in touch (
// smpi: expect-stderr-contains thread_crashes.c:14)
/* A crash in a thread that a rank started is told as that, with its place. */
#include <mpi.h>
#include <pthread.h>

static void *touch(void *argument)
{
    *(volatile int *)argument = 5;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int rank, place;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, touch, rank == 1 ? NULL : &place);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
