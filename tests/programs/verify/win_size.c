/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/size */
/* A negative number of bytes. */
#include <mpi.h>

int main(int argc, char **argv)
{
    void *memory;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
