/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-finding exit-code */
/* smpi: expect-stderr-contains it printed: cannot read the input */
/* smpi: expect-stderr-contains exit_code_said.c:21 */
/* What a rank prints is discarded in a verification; its last line before it ends with an error is part of the finding,
 * and so is the line of the program that ended it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        fprintf(stderr, "reading\n");
        fprintf(stderr, "cannot read %s\n", "the input");
        exit(5);
    }
    MPI_Finalize();
    return 0;
}
