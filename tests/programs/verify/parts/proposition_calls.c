/* A proposition is not asked for while it is asked for: its function must not call MPI. */
#include <mpi.h>
#include <smpi/smpi.h>

static int done(void) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size > 1;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MC_proposition_function("done", done);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
