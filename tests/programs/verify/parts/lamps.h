/* Each rank switches a lamp on and off for ever: `lamp` if there is one rank, else `lamp0`, `lamp1`, … */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static int lamp;
    int rank, size, flag;
    char name[16] = "lamp";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        snprintf(name, sizeof name, "lamp%d", rank);
    MC_proposition(name, &lamp);
    for (;;) {
        lamp = !lamp;
        MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}
