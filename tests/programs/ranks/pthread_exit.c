/* A rank lives as long as one of its threads does (POSIX.1-2017 pthread_exit): main() may leave before them. */
/* smpi: ranks 3 */
/* smpi: expect-pass */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int done;

static void *work(void *rank) {
    usleep(20000);
    done = 1;
    return rank;
}

static void at_end(void) { puts(done ? "PASS" : "FAIL: a thread was still running"); }

int main(int argc, char **argv) {
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    atexit(at_end);
    pthread_create(&thread, NULL, work, NULL);
    pthread_exit(NULL);
}
