/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Where a communicator with a topology cannot be created, the program finds MPI_COMM_NULL in its place. */
#include "../check.h"

static MPI_Comm taken(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    return comm;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm first = taken(), comm = first;
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){4, 4}, (int[]){0, 0}, 0, &comm) != MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    comm = first;
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, 5, (int[]){0, 0, 0, 0, 0}, NULL, 0, &comm) != MPI_SUCCESS);
    CHECK(comm == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_free(&first));
    return check_end();
}
