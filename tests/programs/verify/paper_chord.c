/* The loop of listing 4.5 of "SimGrid MC" between two nodes, with its bug: the receive that is posted for requests is
 * reused for the answer, so that the other node's notification is taken for it. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding assertion */
#include <mpi.h>
#include <smpi/smpi.h>

enum { UPDATE, ANSWER, NOTIFY };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    int task, request = UPDATE, answer = ANSWER, notice = NOTIFY;
    MPI_Request receive = MPI_REQUEST_NULL, send, reply = MPI_REQUEST_NULL;
    int updated = 0, handled = 0;
    /* Each node serves one request and one notification, and updates its table once. */
    while (!updated || handled < 2) {
        if (receive == MPI_REQUEST_NULL)
            MPI_Irecv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &receive);
        int arrived;
        MPI_Test(&receive, &arrived, MPI_STATUS_IGNORE);
        if (arrived) {
            handled++;
            if (task == UPDATE)
                MPI_Isend(&answer, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &reply);
        } else if (!updated) {
            MPI_Isend(&request, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &send);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
            MC_assert(task == ANSWER);
            updated = 1;
            MPI_Send(&notice, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Wait(&reply, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
