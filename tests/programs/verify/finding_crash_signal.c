#define _GNU_SOURCE
/* A rank that sends itself a signal ends as in a simulation: each is a finding, whatever the checker itself uses the signal
 * for. Handlers and masks are put back with the rank. */
/* smpi: ranks 9 */
/* smpi: verify --keep-going --buffering zero */
/* smpi: expect-finding crash */
/* smpi: compile-args -g */
#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int handled;

static void handle(int signal) { handled += signal; }

static void end_by(int first) {
    switch (first) {
    case 1: raise(SIGTERM); break;
    case 2: kill(getpid(), SIGINT); break;
    case 3: raise(SIGKILL); break;
    case 4: raise(SIGALRM); break;
    case 5: pthread_kill(pthread_self(), SIGUSR1); break;
    case 6: signal(SIGABRT, SIG_DFL); abort();
    case 7: signal(SIGSEGV, SIG_DFL); *(volatile int *)0 = 1; break;
    case 8: signal(SIGSEGV, SIG_IGN); *(volatile int *)0 = 1; break;
    }
}

int main(int argc, char **argv) {
    int rank, first = 0;
    sigset_t usr2, now;
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    assert(signal(SIGUSR2, handle) == SIG_DFL);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        raise(SIGUSR2);
        assert(handled == SIGUSR2 && signal(SIGUSR2, SIG_IGN) == handle);
        sigprocmask(SIG_BLOCK, &usr2, &now);
        assert(!sigismember(&now, SIGUSR2));
        end_by(first);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
