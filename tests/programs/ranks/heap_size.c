// smpi: ranks 2
// smpi: requires smpi
// smpi: smpirun-args --heap-size=8MiB
// smpi: expect-stdout 0: refused after 7 blocks, errno is ENOMEM
// smpi: expect-stdout 1: refused after 7 blocks, errno is ENOMEM
/* A rank's heap ends where --heap-size says: malloc answers NULL, and the rank goes on. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (malloc(1 << 20) != NULL)
        count++;
    printf("%d: refused after %d blocks, errno is %s\n", rank, count, errno == ENOMEM ? "ENOMEM" : "something else");
    MPI_Finalize();
    return 0;
}
