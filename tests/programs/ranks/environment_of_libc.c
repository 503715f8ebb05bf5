/* smpi: ranks 3 */
/* smpi: expect-pass */
/* What libc itself reads from the environment is what the rank has put there: the time zone, the home directory, where
   temporary files are. */
#define _GNU_SOURCE
#include <glob.h>
#include <time.h>
#include <wordexp.h>
#include "../check.h"

int main(int argc, char **argv)
{
    static const char *const ZONES[] = {"XYZ5", "ABC-3", "UTC0"};
    static const int HOURS[] = {19, 3, 0};
    struct tm *parts, first = {.tm_mday = 1, .tm_year = 70};
    time_t start = 0;
    char home[32], *name, hour[8];
    wordexp_t words;
    glob_t found;

    check_begin(&argc, &argv);
    /* Without tzset: some functions read the zone themselves, others rely on those. */
    setenv("TZ", ZONES[check_rank], 1);
    MPI_Barrier(MPI_COMM_WORLD);
    parts = localtime(&start);
    CHECK_INT(parts->tm_hour, HOURS[check_rank]);
    CHECK(strncmp(parts->tm_zone, ZONES[check_rank], 3) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(parts->tm_hour, HOURS[check_rank]);
    CHECK_INT(mktime(&first), (24 - HOURS[check_rank]) % 24 * 3600 - (check_rank == 1 ? 86400 : 0));
    strftime(hour, sizeof hour, "%Z", localtime(&start));
    CHECK(strncmp(hour, ZONES[check_rank], 3) == 0);

    snprintf(home, sizeof home, "/home-of-%d", check_rank);
    setenv("HOME", home, 1);
    setenv("OTHER", home + 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(wordexp("~ $OTHER", &words, 0), 0);
    CHECK(strcmp(words.we_wordv[0], home) == 0 && strcmp(words.we_wordv[1], home + 1) == 0);
    wordfree(&words);
    CHECK_INT(glob("~", GLOB_TILDE | GLOB_NOCHECK, NULL, &found), 0);
    CHECK(strcmp(found.gl_pathv[0], home) == 0);
    globfree(&found);
    setenv("TMPDIR", check_rank == 1 ? "/dev" : "/tmp", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    name = tempnam(NULL, "x");
    CHECK(name && strncmp(name, check_rank == 1 ? "/dev/" : "/tmp/", 5) == 0);
    return check_end();
}
