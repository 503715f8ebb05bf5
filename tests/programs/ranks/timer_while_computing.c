/* A loop that computes until the handler of a timer stops it ends, though no simulated time passes in it. */
/* smpi: ranks 2 */
/* smpi: expect-pass */
#include "../check.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int signal) {
    (void)signal;
    ticks++;
}

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    struct itimerval every = {{0, 50000}, {0, 100000}}, none = {{0, 0}, {0, 0}};
    signal(SIGPROF, tick);
    setitimer(ITIMER_PROF, &every, NULL);
    volatile double sum = 0.5;
    while (ticks < 3)
        sum = 1.5 * sum / 1.25 - 0.125;
    setitimer(ITIMER_PROF, &none, NULL);
    CHECK_INT(ticks, 3);
    CHECK(sum == sum);
    return check_end();
}
