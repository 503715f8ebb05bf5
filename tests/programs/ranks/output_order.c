// smpi: ranks 12
// smpi: twice
// smpi: shuffled
// smpi: requires smpi
// smpi: stdout-order exact
// smpi: expect-stdout 0 of 12
// smpi: expect-stdout 1 of 12
// smpi: expect-stdout 2 of 12
// smpi: expect-stdout 3 of 12
// smpi: expect-stdout 4 of 12
// smpi: expect-stdout 5 of 12
// smpi: expect-stdout 6 of 12
// smpi: expect-stdout 7 of 12
// smpi: expect-stdout 8 of 12
// smpi: expect-stdout 9 of 12
// smpi: expect-stdout 10 of 12
// smpi: expect-stdout 11 of 12
/* One line of every rank, in rank order, on the streams that the program has from its start. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("%d of %d\n", rank, size);
    MPI_Finalize();
    return 0;
}
