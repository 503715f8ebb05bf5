/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* Rank 0 polls for messages, and asks between two polls what has the same answer at any time. Whether a message is
 * there at the first poll or later makes no difference, as without these calls. */
#include <mpi.h>

static void ask(int which)
{
    int a, b, flag;
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Aint lower, extent;

    switch (which) {
    case 0: MPI_Comm_rank(MPI_COMM_WORLD, &a); MPI_Comm_size(MPI_COMM_WORLD, &b); break;
    case 1: MPI_Initialized(&flag); MPI_Finalized(&flag); MPI_Get_version(&a, &b); break;
    case 2: MPI_Get_processor_name(name, &a); MPI_Query_thread(&a); MPI_Wtick(); break;
    default: MPI_Type_size(MPI_INT, &a); MPI_Type_get_extent(MPI_INT, &lower, &extent); MPI_Topo_test(MPI_COMM_WORLD, &b);
    }
}

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int which = 0; which < 4; which++) {
        if (rank == 1) {
            MPI_Ssend(&value, 1, MPI_INT, 0, which, MPI_COMM_WORLD);
        } else {
            MPI_Request request;
            int flag = 0;

            MPI_Irecv(&value, 1, MPI_INT, 1, which, MPI_COMM_WORLD, &request);
            while (!flag) {
                ask(which);
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
