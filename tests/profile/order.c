/* Receives in an order, and collective operations whose ranks come one after the other, to be computed by hand.
   Argument: what ranks do. Hosts compute 1e9 flops in a second.
   "wrong": rank 1 sends after two seconds, rank 2 at once, and rank 0 receives from rank 1 first. "right": from rank 2.
   "apart": three rounds of three operations: before each, rank r computes for r seconds. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <string.h>
int main(int argc, char **argv) {
    int rank, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "apart")) {
        int first = strcmp(argv[1], "wrong") ? 2 : 1;
        if (rank == 1) smpi_execute_flops(2e9);
        if (rank == 1 || rank == 2) MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Recv(&one, 1, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&one, 1, MPI_INT, 3 - first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Request request;
        MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        for (int round = 0; round < 3; round++) {
            smpi_execute_flops(rank * 1e9);
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            smpi_execute_flops(rank * 1e9);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            smpi_execute_flops(rank * 1e9);
            if (rank == 0) {
                MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
            } else {
                MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
            }
        }
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
