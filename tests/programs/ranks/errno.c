// smpi: ranks 3
// smpi: expect-stdout 0: errno 1000
// smpi: expect-stdout 1: errno 1001
// smpi: expect-stdout 2: errno 1002
/* errno belongs to a rank: it survives MPI calls during which other ranks set theirs. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        int before = errno = 1000 + rank;
        MPI_Barrier(MPI_COMM_WORLD);
        if (errno != before)
            printf("%d: errno was %d and is %d\n", rank, before, errno);
    }
    printf("%d: errno %d\n", rank, errno);
    MPI_Finalize();
    return 0;
}
