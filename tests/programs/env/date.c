/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: twice */
/*
 * What tells the date begins at smpi/date, which is no 0: generators that are
 * seeded with the time, as of Park and Miller, stay at 0 for ever. All other
 * clocks begin at 0. A sleep until a date ends at it.
 */
#include "../check.h"
#include <sys/time.h>
#include <time.h>

#define BEGIN 946684800L /* date -u -d 2000-01-01 +%s */

int main(int argc, char **argv)
{
    struct timespec date, passed, until;
    struct timeval day;
    struct tm *parts;
    time_t now;
    double wtime;
    long seed;

    check_begin(&argc, &argv);
    seed = now = time(NULL);
    CHECK(now == BEGIN);
    CHECK(seed * 16807 % 2147483647 != seed);
    parts = gmtime(&now);
    CHECK(parts->tm_year == 100 && parts->tm_yday == 0);
    gettimeofday(&day, NULL);
    CHECK(day.tv_sec == BEGIN);
    clock_gettime(CLOCK_REALTIME, &date);
    CHECK(date.tv_sec == BEGIN);
    timespec_get(&date, TIME_UTC);
    CHECK(date.tv_sec == BEGIN);
    clock_gettime(CLOCK_MONOTONIC, &passed);
    CHECK(passed.tv_sec == 0 && clock() < CLOCKS_PER_SEC && MPI_Wtime() < 1);

    wtime = MPI_Wtime();
    until = date;
    until.tv_sec += 3;
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    clock_gettime(CLOCK_REALTIME, &date);
    CHECK(date.tv_sec == until.tv_sec && date.tv_nsec >= until.tv_nsec);
    CHECK(MPI_Wtime() - wtime > 2.9 && MPI_Wtime() - wtime < 3.1);
    return check_end();
}
