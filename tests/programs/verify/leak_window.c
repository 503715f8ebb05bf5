/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding leak/window */
/* A window that nobody frees. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Finalize();
    return 0;
}
