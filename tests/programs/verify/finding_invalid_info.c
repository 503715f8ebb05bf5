/* A value for the null info object. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/info */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_set(info, "key", "value");
    MPI_Finalize();
    return 0;
}
