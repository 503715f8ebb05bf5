/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Win_flush and its kin (MPI 5.0 §12.5.4): behind a flush the target has it, behind a local one the origin's
 * buffer is the program's again. With MPI_Win_sync and a message the target sees what was put. */
#include "../check.h"

#define COUNT 30000

int main(int argc, char **argv)
{
    int *memory, *buffer = malloc(COUNT * sizeof *buffer), seen = -1;
    MPI_Win win;

    check_begin(&argc, &argv);
    MPI_Win_allocate(COUNT * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < COUNT; i++) {
        memory[i] = -1;
        buffer[i] = i;
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Put(buffer, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, win);
        MPI_Win_flush(1, win);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Put(buffer, COUNT, MPI_INT, 2, 0, COUNT, MPI_INT, win);
        MPI_Win_flush_local(2, win);
        for (int i = 0; i < COUNT; i++)
            buffer[i] = -2;
        MPI_Win_flush_all(win);
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Get(buffer, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, win);
        MPI_Get(&seen, 1, MPI_INT, 2, 7, 1, MPI_INT, win);
        MPI_Win_flush_local_all(win);
        CHECK_INT(buffer[COUNT - 1], COUNT - 1);
        CHECK_INT(seen, 7);
        MPI_Win_flush_all(win);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_sync(win);
        CHECK_INT(memory[0], 0);
        CHECK_INT(memory[COUNT - 1], COUNT - 1);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(buffer);
    return check_end();
}
