// smpi: ranks 3
// smpi: env SMPI_TEST_SHARED=for all
// smpi: expect-stdout 0: shared "for all" own "rank 0" kept "first" put "0" gone 1 plan 1 seen in environ 1
// smpi: expect-stdout 1: shared "for all" own "rank 1" kept "first" put "1" gone 1 plan 1 seen in environ 1
// smpi: expect-stdout 2: shared "for all" own "rank 2" kept "first" put "2" gone 1 plan 1 seen in environ 1
// smpi: expect-stdout child of 1 sees rank 1
/* Ranks start with the environment of smpirun, and what one changes the others do not see. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char entry[30];
    char text[30];
    int rank, seen = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(text, sizeof text, "rank %d", rank);
    setenv("SMPI_TEST_OWN", text, 1);
    snprintf(entry, sizeof entry, "SMPI_TEST_PUT=%d", rank);
    putenv(entry);
    setenv("SMPI_TEST_KEPT", "first", 0);
    setenv("SMPI_TEST_KEPT", "second", 0);
    setenv("SMPI_TEST_GONE", "soon", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    unsetenv("SMPI_TEST_GONE");
    for (char **at = environ; *at; at++)
        seen += strncmp(*at, "SMPI_TEST_OWN=", 14) == 0 && strcmp(*at + 14, text) == 0;
    printf("%d: shared \"%s\" own \"%s\" kept \"%s\" put \"%s\" gone %d plan %d seen in environ %d\n", rank,
           getenv("SMPI_TEST_SHARED"), getenv("SMPI_TEST_OWN"), getenv("SMPI_TEST_KEPT"), getenv("SMPI_TEST_PUT"),
           getenv("SMPI_TEST_GONE") == NULL, getenv("SMPI_RUN_PLAN") == NULL, seen);
    if (rank == 1) {
        FILE *child = popen("echo child of 1 sees $SMPI_TEST_OWN", "r");
        char line[100];
        if (child && fgets(line, sizeof line, child))
            fputs(line, stdout);
        pclose(child);
    }
    MPI_Finalize();
    return 0;
}
