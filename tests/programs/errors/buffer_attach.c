/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Attaching a second buffer, buffered sends without a buffer, and negative sizes are errors.
 * MPICH 5 deviates: its class for a second buffer is MPI_ERR_INTERN. */
#include "../check.h"

int main(int argc, char **argv)
{
    char space[4096];
    void *detached;
    int value = 0, size;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK(MPI_Buffer_attach(space, -1) != MPI_SUCCESS);
    CHECK_OK(MPI_Buffer_attach(space, sizeof space));
    CHECK_ERROR(MPI_Buffer_attach(space, sizeof space), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == space && size == (int)sizeof space);
    return check_end();
}
