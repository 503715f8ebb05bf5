/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding race/window */
/* smpi: expect-stderr-contains left the function whose variable is memory of a window */
/* The memory of a window is a variable of a function that has returned. */
#include <mpi.h>

static void make(MPI_Win *window)
{
    int variable[10];
    MPI_Win_create(variable, sizeof variable, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window);
}

int main(int argc, char **argv)
{
    MPI_Win window;
    MPI_Init(&argc, &argv);
    make(&window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
