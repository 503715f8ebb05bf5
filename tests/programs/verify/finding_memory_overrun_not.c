/* Buffers that end where their objects end, and variables that one datatype goes over. */
/* smpi: passes memory/overrun */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdlib.h>

static int numbers[3];
static int first = 1, last = 2;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Gather(&rank, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int *all = malloc(size * sizeof(int));
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    free(all);
    /* Only the root needs room for all. */
    int *none = malloc(1);
    MPI_Gather(&rank, 1, MPI_INT, rank == 1 ? numbers : none, 1, MPI_INT, 1, MPI_COMM_WORLD);
    free(none);
    MPI_Aint places[2];
    MPI_Get_address(&first, &places[0]);
    MPI_Get_address(&last, &places[1]);
    int lengths[2] = {1, 1};
    MPI_Datatype both;
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &both);
    MPI_Type_commit(&both);
    MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD);
    MPI_Type_free(&both);
    MPI_Finalize();
    return 0;
}
