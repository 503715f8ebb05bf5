/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: passes mpi/invalid/window */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* As win_kind.c, with a dynamic window. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int more[4];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, more, sizeof more);
    MPI_Win_detach(window, more);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
