/* A program that starts a thread cannot be put back to an earlier state: refused, with the rank and the place. */
/* smpi: ranks 2 */
/* smpi: smpirun-args --verify */
/* smpi: requires smpi */
/* smpi: compile-args -pthread */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains pthread_create */
/* smpi: expect-stderr-contains thread_is_refused.c */
#include <mpi.h>
#include <pthread.h>

static void *nothing(void *argument) {
    return argument;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
