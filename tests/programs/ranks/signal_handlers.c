#define _GNU_SOURCE
/* Handlers, masks and pending signals belong to the rank that set them; a handler may leave by siglongjmp, and may call MPI
 * where the signal is raised.
 * MPICH 4.0.2 deviates: it has a handler for SIGUSR1 of its own. */
/* smpi: ranks 4 */
/* smpi: expect-pass */
#include "../check.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t count, last;
static int rank;
static sigjmp_buf back;

static void odd(int signal) { count += 1; last = signal; }
static void even(int signal, siginfo_t *info, void *context) {
    count += info->si_signo == signal && context ? 100 : 0;
    last = signal;
}
static void jump(int signal) { siglongjmp(back, signal); }
static void exchange(int signal) {
    int next = (rank + 1) % 4, before = (rank + 3) % 4, got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, signal, &got, 1, MPI_INT, before, signal, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    last = got;
}

static void check_handlers(void) {
    struct sigaction action = {0}, old;
    if (rank % 2) {
        CHECK(signal(SIGUSR1, odd) == SIG_DFL);
    } else {
        action.sa_sigaction = even;
        action.sa_flags = SA_SIGINFO | SA_RESETHAND;
        CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGUSR1);
    CHECK_INT(count, rank % 2 ? 1 : 100);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
    CHECK(rank % 2 ? old.sa_handler == odd : old.sa_handler == SIG_DFL);
    signal(SIGTERM, SIG_IGN);
    kill(getpid(), SIGTERM);
    CHECK(signal(SIGKILL, odd) == SIG_ERR);
    raise(SIGCHLD);
}

static void check_mask(void) {
    sigset_t set, old;
    count = 0;
    signal(SIGUSR2, odd);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    if (rank == 1) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGUSR2);
        CHECK_INT(count, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(sigpending(&old) == 0 && sigismember(&old, SIGUSR2) == (rank == 1));
    CHECK(sigprocmask(SIG_SETMASK, NULL, &old) == 0 && sigismember(&old, SIGUSR2) == (rank == 1));
    MPI_Barrier(MPI_COMM_WORLD);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    CHECK_INT(count, rank == 1);
}

static int is_pending(int signal) {
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, signal);
}

/* One that waits is discarded by an action that does nothing with it: SIG_IGN, and SIG_DFL where that ignores it
 * (POSIX.1-2017 2.4.3). */
static void check_discarded(void) {
    const int ignored[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT}, others[] = {SIGUSR1, SIGALRM};
    sigset_t set, old;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, &old);
    for (int i = 0; i < 4; i++) {
        raise(ignored[i]);
        CHECK(is_pending(ignored[i]));
        signal(ignored[i], odd);
        CHECK(is_pending(ignored[i]));
        signal(ignored[i], SIG_DFL);
        CHECK(!is_pending(ignored[i]));
    }
    for (int i = 0; i < 2; i++) {
        raise(others[i]);
        signal(others[i], SIG_DFL);
        CHECK(is_pending(others[i]));
        signal(others[i], SIG_IGN);
        CHECK(!is_pending(others[i]));
        signal(others[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
}

static void check_jumps(void) {
    int *nowhere = (int *)(size_t)(rank % 2 ? 0 : 16);
    signal(SIGSEGV, jump);
    signal(SIGFPE, jump);
    for (int round = 0; round < 3; round++) {
        int caught = sigsetjmp(back, 1);
        if (!caught)
            *(volatile int *)nowhere = 1;
        CHECK_INT(caught, SIGSEGV);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int caught = sigsetjmp(back, 1);
    if (!caught) {
        volatile int zero = 0;
        zero = 7 / zero;
    }
    CHECK_INT(caught, SIGFPE);
}

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    rank = check_rank;
    check_handlers();
    check_mask();
    check_discarded();
    check_jumps();
    signal(SIGUSR2, exchange);
    raise(SIGUSR2);
    CHECK_INT(last, (rank + 3) % 4);
    return check_end();
}
