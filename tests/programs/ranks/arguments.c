// smpi: ranks 3
// smpi: args one two=2 three
// smpi: expect-stdout 0: 4 Xne two 2 three 1
// smpi: expect-stdout 1: 4 Yne two 2 three 1
// smpi: expect-stdout 2: 4 Zne two 2 three 1
/* argv is a rank's own: it may be changed, cut into pieces with strtok, and ends with a null pointer. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    argv[1][0] = (char)('X' + rank);
    char *key = strtok(argv[2], "=");
    MPI_Barrier(MPI_COMM_WORLD);
    char *value = strtok(NULL, "=");
    printf("%d: %d %s %s %s %s %d\n", rank, argc, argv[1], key, value ? value : "(none)", argv[3], argv[argc] == NULL);
    MPI_Finalize();
    return 0;
}
