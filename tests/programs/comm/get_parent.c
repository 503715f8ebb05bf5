/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A process that was not spawned has no parent (MPI 5.0 section 11.8.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_WORLD;

    check_begin(&argc, &argv);
    CHECK_INT(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    CHECK(parent == MPI_COMM_NULL);
    return check_end();
}
