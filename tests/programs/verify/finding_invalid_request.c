/* The start of the null request. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/request */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Start(&request);
    MPI_Finalize();
    return 0;
}
