/* smpi: ranks 4 */
/* smpi: expect-pass */
/* MPI_Comm_split_type: every rank is in a shared-memory communicator with at least itself; MPI_UNDEFINED gives none (MPI 5.0 section 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm node;
    char name[MPI_MAX_PROCESSOR_NAME], others[4][MPI_MAX_PROCESSOR_NAME];
    int rank, size, length;

    check_begin(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, check_rank, MPI_INFO_NULL, &node);
    CHECK(node != MPI_COMM_NULL);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    CHECK(size >= 1 && size <= check_size && rank < size);
    /* Whoever shares memory runs on the same host. */
    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, sizeof name, MPI_CHAR, others, sizeof name, MPI_CHAR, node);
    for (int i = 0; i < size; i++)
        CHECK(strcmp(name, others[i]) == 0);
    MPI_Comm_free(&node);
    MPI_Comm_split_type(MPI_COMM_WORLD, check_rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                        MPI_INFO_NULL, &node);
    CHECK((node == MPI_COMM_NULL) == (check_rank == 1));
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
    return check_end();
}
