/* What a program does with the library of counter.c. */
#include <mpi.h>
#include <stdio.h>

int calls(int by);
int get_counter(void);

static int count_in_library(int *rank)
{
    int before;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    calls(1 + *rank);
    MPI_Barrier(MPI_COMM_WORLD);
    before = get_counter();
    MPI_Barrier(MPI_COMM_WORLD);
    int hidden = calls(10);
    MPI_Finalize();
    return hidden - 10 - before;
}
