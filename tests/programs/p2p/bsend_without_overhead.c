/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified mpi/invalid/buffer */
/* Programs that attach only what their data takes are accepted in a simulation, as by other libraries that need less
 * than MPI_BSEND_OVERHEAD or nothing of the buffer; --strict and --verify insist (MPI 5.0 section 3.6). */
#include "../check.h"

int main(int argc, char **argv)
{
    int data[10], room[500], size;
    void *detached = NULL;

    check_begin(&argc, &argv);
    for (int i = 0; i < 10; i++)
        data[i] = check_rank + i;
    if (check_rank == 1) {
        MPI_Buffer_attach(room, sizeof room);
        for (int message = 0; message < 10; message++)
            CHECK_OK(MPI_Bsend(data, 10, MPI_INT, 0, message, MPI_COMM_WORLD));
        MPI_Buffer_detach(&detached, &size);
    } else {
        for (int message = 9; message >= 0; message--) {
            CHECK_OK(MPI_Recv(data, 10, MPI_INT, 1, message, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_INT(data[9], 10);
        }
    }
    return check_end();
}
