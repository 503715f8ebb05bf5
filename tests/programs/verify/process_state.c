/* smpi: ranks 3 */
/* smpi: compile-args -Wl,--no-as-needed -lm */
/* smpi: timeout 120 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* What a process has once, each rank has for itself, and it is put back with the rank: every row of the table is looked
   at after a choice, then changed, and looked at again in the execution with the other choice. */
#include "../ranks/parts/process_state.h"
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank, row = 0, from;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        row = MC_random(0, COUNT - 1);
    MPI_Bcast(&row, 1, MPI_INT, 0, MPI_COMM_WORLD);
    TABLE[row].put(rank);
    if (rank == 0) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!TABLE[row].is_there(rank)) {
        fprintf(stderr, "rank %d: %s\n", rank, TABLE[row].name);
        return 1;
    }
    TABLE[row].put(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!TABLE[row].is_there(rank + 1)) {
        fprintf(stderr, "rank %d: %s, once more\n", rank, TABLE[row].name);
        return 2;
    }
    MPI_Finalize();
    return 0;
}
