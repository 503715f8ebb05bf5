/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: verified deadlock */
/* smpi: expect-executions zero=1 infinite=16 */
/* Nonblocking and persistent forms, neighbourhoods, and calls that make communicators: what a rank need not wait for
   (MPI 5.0 section 6.1, 7.4, 8.6). In the graph, rank 0 sends to 1, which sends to 2. */
#include "parts/waits.h"

static void ireduce(int root) {
    int data = rank, sum;
    MPI_Request request;
    MPI_Ireduce(&data, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void) {
    int data = rank;
    MPI_Request request;
    MPI_Bcast_init(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void duplicate(void) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

static void split(void) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
    int data = 1, other, before, after;
    MPI_Comm line;
    start(&argc, &argv);
    before = rank - 1, after = rank + 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &before, MPI_UNWEIGHTED, rank < 2, &after, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &line);
    EARLY(ireduce(1));
    EARLY(persistent());
    EARLY(MPI_Neighbor_allgather(&data, 1, MPI_INT, &other, 1, MPI_INT, line));
    EARLY(duplicate());
    MUST_WAIT(ireduce(0));
    MUST_WAIT(split());
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
