/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A program may define MPI functions itself and reach the library through PMPI (MPI 5.0 section 15.2). */
#include "../check.h"

static int sends;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buffer, count, type, destination, tag, comm);
}

int main(int argc, char **argv)
{
    int value = 3;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        PMPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        CHECK_INT(sends, 1);
    } else {
        value = 0;
        PMPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 3);
        CHECK_INT(sends, 0); /* the library's own messages do not pass through here */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return check_end();
}
