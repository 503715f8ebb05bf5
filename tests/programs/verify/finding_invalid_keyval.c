/* A key that is not valid. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/keyval */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
