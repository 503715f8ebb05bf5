/* smpi: ranks 3 */
/* smpi: expect-finding assertion */
/* smpi: expect-occurrences 2 */
/* smpi: verify --keep-going */
/* Ranks 1 and 2 spawn one more each, but only if their message came first; the one that rank 2 spawns fails. In each mode that
   is one of both executions. */
#include "../check.h"

#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    int rank, first = -1;
    char word[2] = "1";
    char *arguments[] = {word, NULL};
    MPI_Comm parent, child;
    MPI_Request request;
    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MC_assert(argv[1][0] == '1');
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    if (rank > 0) {
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&rank, 1, MPI_INT, 3 - first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&first, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&first, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        rank = 0;
    }
    if (rank == first) {
        word[0] = '0' + rank;
        MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&child);
    }
    return check_end();
}
