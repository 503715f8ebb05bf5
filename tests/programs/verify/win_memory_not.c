/* smpi: ranks 2 */
/* smpi: compile-args --verify -g -O0 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes race/window race/buffer */
/* Memory ends after its window, or when it was detached; an attached buffer when it was detached; and a window that brings
 * its own gives it back. */
#include <mpi.h>
#include <stdlib.h>

static void within(void)
{
    int variable[10], peer, *own;
    char room[2000], *back;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &peer);
    peer = 1 - peer;
    MPI_Win_create(variable, sizeof variable, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&peer, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(&peer, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(variable, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &peer);
    MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    int *memory, size;
    char *room = malloc(2000);
    MPI_Win window;
    MPI_Init(&argc, &argv);
    within();
    MPI_Barrier(MPI_COMM_WORLD);
    memory = malloc(40);
    MPI_Win_create(memory, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    free(memory);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    memory = malloc(40);
    MPI_Win_attach(window, memory, 40);
    MPI_Win_detach(window, memory);
    free(memory);
    MPI_Win_free(&window);
    MPI_Buffer_attach(room, 2000);
    MPI_Buffer_detach(&room, &size);
    free(room);
    MPI_Finalize();
    return 0;
}
