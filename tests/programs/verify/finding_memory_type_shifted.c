/* A datatype whose second element begins in the padding before the member that is meant: a warning. */
/* smpi: requires smpi */
/* smpi: ranks 2 */
/* smpi: expect-exit 0 */
/* smpi: smpirun-args --strict */
/* smpi: compile-args -g -O0 */
/* smpi: expect-stderr-contains warning: memory/type: rank 0: buf of MPI_Send has MPI_DOUBLE where the */
/* smpi: expect-stderr-contains program declares pair.value as double; that is byte 5 of the variable pair, a */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    struct {
        int id;
        double value;
    } pair = {1, 2};
    int rank, lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 5};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, shifted;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, lengths, places, types, &shifted);
    MPI_Type_commit(&shifted);
    if (rank == 0)
        MPI_Send(&pair, 1, shifted, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&pair, 1, shifted, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&shifted);
    MPI_Finalize();
    return 0;
}
