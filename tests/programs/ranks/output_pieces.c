// smpi: ranks 3
// smpi: twice
// smpi: requires smpi
// smpi: expect-stdout 0: one line in pieces, printed by 0
// smpi: expect-stdout 1: one line in pieces, printed by 1
// smpi: expect-stdout 2: one line in pieces, printed by 2
// smpi: expect-stdout the endthe endthe end
/* A line that is printed in pieces, with MPI calls in between, comes out whole; one without an end, when its rank ends. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: one line ", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    fputs("in pieces,", stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const char *at = " printed by "; *at; at++)
        putchar(*at);
    MPI_Barrier(MPI_COMM_WORLD);
    fwrite(&"012"[rank], 1, 1, stdout);
    putc('\n', stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("the end");
    return 0;
}
