// smpi: ranks 3
// smpi: requires smpi
// smpi: timeout 20
// smpi: expect-time 7207.25 tolerance 1e-6
// smpi: expect-stdout 0: sleep 7200.000 usleep 1.500 nanosleep 2.000 clock_nanosleep 1.000 until 0.500 select 0.500 pselect 0.750 ppoll 1.000
// smpi: expect-stdout 1: sleep 7200.000 usleep 1.500 nanosleep 2.000 clock_nanosleep 1.000 until 0.500 select 0.500 pselect 0.750 ppoll 1.000
// smpi: expect-stdout 2: sleep 7200.000 usleep 1.500 nanosleep 2.000 clock_nanosleep 1.000 until 0.500 select 0.500 pselect 0.750 ppoll 1.000
/* Sleeping takes simulated time and no real time, and every clock shows it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double by_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double by_day(void)
{
    struct timeval time;
    gettimeofday(&time, NULL);
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double start = by_day();
    time_t start_secs = time(NULL);
    sleep(7200);
    double slept = by_day() - start;
    if (time(NULL) - start_secs != 7200)
        printf("%d: time() disagrees\n", rank);

    start = MPI_Wtime();
    usleep(1500000);
    double micro = MPI_Wtime() - start;

    struct timespec request = {2, 0};
    start = by_clock(CLOCK_REALTIME);
    nanosleep(&request, NULL);
    double nano = by_clock(CLOCK_REALTIME) - start;

    request.tv_sec = 1;
    start = by_clock(CLOCK_MONOTONIC);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &request, NULL);
    double clocked = by_clock(CLOCK_MONOTONIC) - start;

    clock_gettime(CLOCK_REALTIME, &request);
    start = by_clock(CLOCK_PROCESS_CPUTIME_ID);
    request.tv_nsec += 500000000;
    request.tv_sec += request.tv_nsec / 1000000000;
    request.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &request, NULL);
    double until = by_clock(CLOCK_PROCESS_CPUTIME_ID) - start;

    struct timeval pause = {0, 500000};
    start = by_day();
    select(0, NULL, NULL, NULL, &pause);
    double selected = by_day() - start;

    sigset_t all;
    sigfillset(&all);
    request = (struct timespec){0, 750000000};
    start = by_day();
    pselect(0, NULL, NULL, NULL, &request, &all);
    double masked = by_day() - start;
    sigprocmask(SIG_SETMASK, NULL, &all);
    if (sigismember(&all, SIGUSR1))
        printf("%d: pselect leaves its mask\n", rank);

    request = (struct timespec){1, 0};
    start = by_day();
    ppoll(NULL, 0, &request, NULL);
    printf("%d: sleep %.3f usleep %.3f nanosleep %.3f clock_nanosleep %.3f until %.3f select %.3f pselect %.3f ppoll %.3f\n",
           rank, slept, micro, nano, clocked, until, selected, masked, by_day() - start);
    MPI_Finalize();
    return 0;
}
