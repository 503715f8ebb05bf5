/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Predefined attributes can be neither set nor deleted, and their keys not freed (MPI 5.0 section 9.1.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 1, found, *bound, key = MPI_TAG_UB;

    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value) != MPI_SUCCESS);
    CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB) != MPI_SUCCESS);
    CHECK(MPI_Comm_free_keyval(&key) != MPI_SUCCESS);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    CHECK(found && *bound >= 32767);
    return check_end();
}
