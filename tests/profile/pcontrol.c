/* Most calls are not worth telling apart: they lie between MPI_Pcontrol(0) and MPI_Pcontrol(1). Other levels change
 * nothing. */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pcontrol(2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    for (int i = 0; i < 7; i++) {
        smpi_execute_flops(1e6 * (rank + 1));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Pcontrol(0);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    smpi_execute_flops(1e6);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
