/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: expect-stderr-contains MPI_Send: MPI_DATATYPE_NULL is no datatype, not even of 0 elements */
/* smpi: verified mpi/invalid/datatype */
/* Without elements, MPI libraries let a null datatype pass, and programs rely on that. A simulation warns, and goes on.
 * With elements it is an error. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 7, other = 0, counts[2] = {0, 0}, displs[2] = {0, 0};

    check_begin(&argc, &argv);
    if (check_rank == 0)
        MPI_Send(NULL, 0, MPI_DATATYPE_NULL, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - check_rank, 1, &other, 1, MPI_INT, 1 - check_rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Bcast(NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Gatherv(NULL, 0, MPI_DATATYPE_NULL, NULL, counts, displs, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 1 - check_rank, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    return check_end();
}
