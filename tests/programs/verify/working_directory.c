#define _GNU_SOURCE
/* The working directory and the file mode creation mask are put back with the rank. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    char start[4096], here[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    assert(getcwd(start, sizeof start));
    assert(!strstr(start, "directory_") && umask(022) != 0123);
    mkdir("directory_1", 0700);
    mkdir("directory_2", 0700);
    if (rank == 0) {
        for (int i = 1; i < 3; i++) {
            char name[100];
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sprintf(name, "%sdirectory_%d", i == 1 ? "" : "../", value);
            assert(chdir(name) == 0);
            assert(umask(0123) == (i == 1 ? 022 : 0123));
        }
        assert(getcwd(here, sizeof here) && !strcmp(strrchr(here, '_'), value == 1 ? "_1" : "_2"));
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        assert(getcwd(here, sizeof here) && !strcmp(start, here));
        assert(chdir("directory_1") == 0);
    }
    MPI_Finalize();
    return 0;
}
