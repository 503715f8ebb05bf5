/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: compile-args -lutil */
/* smpi: timeout 30 */
/* smpi: expect-stdout rank 0: 7 7 7 7, 5 lines */
/* smpi: expect-stdout rank 1: 7 7 7 7, 5 lines */
/* A child of fork and its relatives is one process with one rank's memory: it sleeps and asks the time in real time,
   handles signals, flushes its own streams when it ends, and never becomes another rank. */
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, handled;
static char name[64];

static void handle(int signal)
{
    (void)signal;
    handled++;
}

/* What a child does: every call that would wait in simulated time, were it a rank. */
static void live(const char *how, int flushes)
{
    struct timespec nap = {0, 2000000}, now, later;
    struct timeval short_while = {0, 2000};
    FILE *file;

    clock_gettime(CLOCK_MONOTONIC, &now);
    usleep(2000);
    nanosleep(&nap, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
    select(0, NULL, NULL, NULL, &short_while);
    poll(NULL, 0, 2);
    clock_gettime(CLOCK_MONOTONIC, &later);
    if (later.tv_sec < now.tv_sec || (later.tv_sec == now.tv_sec && later.tv_nsec <= now.tv_nsec))
        _exit(1);
    now = later;
    now.tv_nsec += 2000000;
    if (now.tv_nsec >= 1000000000) {
        now.tv_nsec -= 1000000000;
        now.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    if (handled != 2)
        _exit(2);
    ualarm(2000, 0);
    pause();
    if (handled != 3)
        _exit(3);
    time(NULL);
    file = fopen(name, "a");
    fprintf(file, "child of rank %d by %s\n", rank, how);
    if (flushes)
        exit(7);
    fclose(file);
    _exit(7);
}

static int result_of(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(int argc, char **argv)
{
    int results[4], lines = 0, terminal, c;
    pid_t child;
    FILE *file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/child_lives_alone.%d.%d", (int)getppid(), rank);
    unlink(name);
    signal(SIGUSR1, handle);
    signal(SIGALRM, handle);
    file = fopen(name, "a");
    fprintf(file, "rank %d\n", rank);
    fclose(file);
    if ((child = fork()) == 0)
        live("fork", 0);
    results[0] = result_of(child);
    if ((child = fork()) == 0)
        live("fork, exit", 1);
    results[1] = result_of(child);
    if ((child = _Fork()) == 0)
        live("_Fork", 0);
    results[2] = result_of(child);
    if ((child = forkpty(&terminal, NULL, NULL, NULL)) == 0)
        live("forkpty", 0);
    results[3] = result_of(child);
    MPI_Barrier(MPI_COMM_WORLD);
    file = fopen(name, "r");
    while ((c = fgetc(file)) != EOF)
        lines += c == '\n';
    fclose(file);
    unlink(name);
    printf("rank %d: %d %d %d %d, %d lines\n", rank, results[0], results[1], results[2], results[3], lines);
    MPI_Finalize();
    return 0;
}
