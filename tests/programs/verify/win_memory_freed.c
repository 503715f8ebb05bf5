/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/window */
/* smpi: expect-stderr-contains win_memory_freed.c:21 */
/* smpi: expect-stderr-contains win_memory_freed.c:25 */
/* smpi: expect-stderr-contains win_memory_freed.c:30 */
/* smpi: expect-stderr-contains win_memory_freed.c:35 */
/* The memory of a window ends before the window (MPI 5.0 section 12.2.1 and 12.2.4), though nobody accesses it: freed,
 * moved, given back to MPI; or detached too late. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    memory = malloc(40);
    MPI_Win_create(memory, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    free(memory);
    MPI_Win_free(&window);
    memory = malloc(40);
    MPI_Win_create(memory, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    memory = realloc(memory, 4000);
    MPI_Win_free(&window);
    free(memory);
    MPI_Alloc_mem(40, MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Free_mem(memory);
    MPI_Win_free(&window);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    memory = malloc(40);
    MPI_Win_attach(window, memory, 40);
    free(memory);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
