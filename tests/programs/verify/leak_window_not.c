/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: passes leak/window */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* As leak_window.c, with its end. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
