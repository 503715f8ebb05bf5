#define _GNU_SOURCE
/* alarm() and setitimer() are simulated time and a rank's own: they interrupt sleeps, pause() and blocked MPI calls. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: verified exit-code */
#include "../check.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms;
static volatile double when;

static void note(int signal) {
    (void)signal;
    alarms++;
    when = MPI_Wtime();
}

static void check_near(const char *what, double found, double expected) {
    if (fabs(found - expected) > 0.01)
        printf("%s is %g, expected %g\n", what, found, expected);
    CHECK(fabs(found - expected) <= 0.01);
}

static void check_sleeps(void) {
    struct timespec rest, wish = {10, 0};
    double start = MPI_Wtime();
    CHECK_INT(alarm(100), 0);
    CHECK_INT(alarm(3), 100);
    CHECK_INT(sleep(8), 5);
    check_near("sleep", MPI_Wtime() - start, 3);
    CHECK_INT(alarms, 1);
    start = MPI_Wtime();
    alarm(2);
    CHECK(nanosleep(&wish, &rest) == -1 && errno == EINTR);
    check_near("rest", (double)rest.tv_sec + 1e-9 * (double)rest.tv_nsec, 8);
    alarm(4);
    CHECK(pause() == -1 && errno == EINTR);
    check_near("pause", MPI_Wtime() - start, 6);
    alarm(50);
    CHECK_INT(alarm(0), 50);
    CHECK_INT(alarms, 3);
    sigset_t set;
    int signal;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    alarm(1);
    CHECK_INT(sleep(2), 0);
    CHECK(sigwait(&set, &signal) == 0 && signal == SIGALRM);
    struct timespec limit = {2, 0};
    CHECK(sigtimedwait(&set, NULL, &limit) == -1 && errno == EAGAIN);
    alarm(1);
    CHECK_INT(sigtimedwait(&set, NULL, &limit), SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    CHECK_INT(alarms, 3);
    check_near("all", MPI_Wtime() - start, 11);
}

/* Rank 0 waits for a message that comes after 10 seconds; its timer expires every 3. */
static void check_blocked(void) {
    int value = 0;
    alarms = 0;
    double start = MPI_Wtime();
    if (check_rank == 0) {
        struct itimerval every = {{3, 0}, {3, 0}}, none = {{0, 0}, {0, 0}}, left;
        CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 42);
        CHECK_INT(alarms, 3);
        check_near("last alarm", when - start, 9);
        check_near("message", MPI_Wtime() - start, 10);
        CHECK(getitimer(ITIMER_REAL, &left) == 0);
        check_near("left", (double)left.it_value.tv_sec + 1e-6 * (double)left.it_value.tv_usec, 2);
        CHECK(setitimer(ITIMER_REAL, &none, NULL) == 0);
    } else {
        sleep(10);
        value = 42;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        CHECK_INT(alarms, 0);
    }
}

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    signal(SIGALRM, note);
    if (check_rank == 0)
        check_sleeps();
    MPI_Barrier(MPI_COMM_WORLD);
    check_blocked();
    alarm(1000);
    return check_end();
}
