/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/window */
/* Memory can be attached to dynamic windows only. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int mine = 0, more[4];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, more, sizeof more);
    MPI_Win_detach(window, more);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
