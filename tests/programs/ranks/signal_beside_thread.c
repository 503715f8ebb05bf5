/* smpi: ranks 2 */
/* smpi: compile-args -pthread */
/* smpi: expect-pass */
/* A signal from another process comes once, though the rank's own thread has it blocked and another thread has not. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static volatile sig_atomic_t came, is_over;

static void count(int signal)
{
    (void)signal;
    came++;
}

static void *stay(void *argument)
{
    while (!is_over)
        usleep(1000);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    sigset_t set, before;
    pid_t child;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        signal(SIGUSR1, count);
        pthread_create(&thread, NULL, stay, NULL);
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, &before);
        child = fork();
        if (child == 0) {
            kill(getppid(), SIGUSR1);
            _exit(0);
        }
        CHECK_INT(waitpid(child, NULL, 0), child);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        /* When the other thread gets it is up to the system; the ranks' time must not depend on that. */
        for (int look = 0; look < 1000; look++)
            usleep(1000);
        is_over = 1;
        pthread_join(thread, NULL);
        CHECK_INT(came, 1);
    }
    return check_end();
}
