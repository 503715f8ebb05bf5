// smpi: ranks 2
// smpi: expect-stdout 0: ? q ? n : x ? 0 a/b 3 then -c
// smpi: expect-stdout 1: ? q ? n : x ? 0 a/b 3 then -c
// smpi: expect-stderr-contains invalid option -- 'q'
// smpi: expect-stderr-contains option requires an argument -- 'n'
// smpi: expect-stderr-contains unrecognized option '--unknown'
// smpi: expect-stderr-contains option '--verb' is ambiguous
/* What getopt answers to wrong options, and its orders: with '+' it stops at the first argument. */
#define _GNU_SOURCE
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int again(int argc, char **argv, const char *letters)
{
    optind = 0;
    return getopt(argc, argv, letters);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"verbose", no_argument, NULL, 1}, {"verbatim", no_argument, NULL, 2}, {NULL, 0, NULL, 0}};
    char *wrong[] = {"program", "-q", NULL}, *missing[] = {"program", "-n", NULL};
    char *quiet[] = {"program", "-x", NULL}, *unknown[] = {"program", "--unknown", NULL};
    char *ambiguous[] = {"program", "--verb", NULL}, *groups[] = {"program", "-ab", "file", "-c", NULL};
    int rank, a, b, c, d, e, f;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    a = again(2, wrong, "n:");
    int letter_a = optopt;
    b = again(2, missing, "n:");
    int letter_b = optopt;
    c = again(2, quiet, ":x:");
    int letter_c = optopt;
    optind = 0;
    d = getopt_long(2, unknown, "", options, NULL);
    int letter_d = optopt;
    optind = 0;
    getopt_long(2, ambiguous, "", options, NULL);
    e = again(4, groups, "+abc");
    MPI_Barrier(MPI_COMM_WORLD);
    f = getopt(4, groups, "+abc");
    while (getopt(4, groups, "+abc") != -1)
        printf("%d: an option behind an argument\n", rank);
    printf("%d: %c %c %c %c %c %c %c %d %c/%c %d then %s\n", rank, a, letter_a, b, letter_b, c, letter_c, d, letter_d,
           e, f, optind + 1, groups[optind + 1]);
    MPI_Finalize();
    return 0;
}
