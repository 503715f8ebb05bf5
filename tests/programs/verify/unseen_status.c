/* The status tells as much as the index, whichever way it is looked at: by MPI_Get_count, by a message that is sent of it, by a
 * comparison of the handles, by a copy. Each time both orders count: two executions of each kind. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 16 */
#include <mpi.h>
#include <string.h>

static MPI_Request requests[2];
static int values[2], done, other;
static MPI_Status status, copy;

static void look(int how) {
    switch (how) {
    case 0:
        MPI_Get_count(&status, MPI_INT, &other);
        break;
    case 1:
        MPI_Sendrecv(&done, 1, MPI_INT, 0, 9, &other, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        break;
    case 2:
        other = requests[0] == MPI_REQUEST_NULL;
        break;
    default:
        memcpy(&copy, &status, sizeof copy);
        break;
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int how = 0; how < 4; how++) {
        if (rank == 0) {
            for (int i = 0; i < 2; i++)
                MPI_Irecv(&values[i], 1, MPI_INT, i + 1, how, MPI_COMM_WORLD, &requests[i]);
            MPI_Waitany(2, requests, &done, &status);
            look(how);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Send(&rank, 1, MPI_INT, 0, how, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
