// smpi: ranks 3
// smpi: args -v -n 12 file1 -ofile --long=x --flag --long y -- -z last
// smpi: expect-stdout 0: v=1 n=12 o=file long=xy flag=5 rest=file1,-z,last
// smpi: expect-stdout 1: v=1 n=12 o=file long=xy flag=5 rest=file1,-z,last
// smpi: expect-stdout 2: v=1 n=12 o=file long=xy flag=5 rest=file1,-z,last
/* Ranks parse their options at the same time: each has its own optind, optarg and place inside a group. */
#define _GNU_SOURCE
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static int flag;
    static const struct option options[] = {
        {"long", required_argument, NULL, 'l'}, {"flag", no_argument, &flag, 5}, {NULL, 0, NULL, 0}};
    int rank, option, verbose = 0, number = 0;
    char output[20] = "", longs[20] = "", rest[50] = "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while ((option = getopt_long(argc, argv, "vn:o:", options, NULL)) != -1) {
        MPI_Barrier(MPI_COMM_WORLD);
        switch (option) {
        case 0: break;
        case 'v': verbose++; break;
        case 'n': number = atoi(optarg); break;
        case 'o': strcpy(output, optarg); break;
        case 'l': strcat(longs, optarg); break;
        default: printf("%d: unexpected %d\n", rank, option);
        }
    }
    for (; optind < argc; optind++) {
        strcat(rest, argv[optind]);
        if (optind < argc - 1)
            strcat(rest, ",");
    }
    printf("%d: v=%d n=%d o=%s long=%s flag=%d rest=%s\n", rank, verbose, number, output, longs, flag, rest);
    MPI_Finalize();
    return 0;
}
