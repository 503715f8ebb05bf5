/* How well time is used, to be computed by hand. Argument: what ranks do. Hosts compute 1e9 flops in a second.
   "balance": rank r computes for r + 1 seconds, no messages.
   "serial": each rank computes for a second when it has heard from the one before.
   "transfer": all compute for a second, then rank 0 sends 125 MB to rank 1.
   "alone": the same to the rank that is half of all further. "shared": so does rank 1. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>
enum { LONG = 125000000 };
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(argv[1], "balance")) {
        smpi_execute_flops((rank + 1) * 1e9);
    } else if (!strcmp(argv[1], "serial")) {
        if (rank > 0) MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        smpi_execute_flops(1e9);
        if (rank + 1 < size) MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    } else {
        char *buffer = calloc(1, LONG);
        smpi_execute_flops(1e9);
        int senders = strcmp(argv[1], "shared") ? 1 : 2, away = strcmp(argv[1], "transfer") ? size / 2 : 1;
        if (rank < senders) MPI_Send(buffer, LONG, MPI_CHAR, rank + away, 0, MPI_COMM_WORLD);
        int from = rank - away;
        if (from >= 0 && from < senders) MPI_Recv(buffer, LONG, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
