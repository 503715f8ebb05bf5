/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: passes mpi/invalid/size */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* As win_size.c, with none: that is allowed. */
#include <mpi.h>

int main(int argc, char **argv)
{
    void *memory;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
