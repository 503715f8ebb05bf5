/* smpi: ranks 3 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* Repeated edges match in the order in which both ends have them (section 8.6). MPICH 4.0 receives in reverse order. */
#include "../check.h"

int main(int argc, char **argv)
{
    int next, before, sources[4], destinations[4];
    int send[4], recv[4] = {-1, -1, -1, -1}, weights[2], found[2][6];
    MPI_Comm graph;
    MPI_Request request;

    check_begin(&argc, &argv);
    next = (check_rank + 1) % 3, before = (check_rank + 2) % 3;
    sources[0] = sources[2] = sources[3] = before, sources[1] = check_rank;
    destinations[0] = destinations[1] = destinations[3] = next, destinations[2] = check_rank;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, sources, MPI_UNWEIGHTED, 4, destinations,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    for (int i = 0; i < 4; i++)
        send[i] = check_rank * 10 + i;
    CHECK_OK(MPI_Neighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, graph));
    CHECK_INT(recv[0], before * 10);
    CHECK_INT(recv[1], check_rank * 10 + 2);
    CHECK_INT(recv[2], before * 10 + 1);
    CHECK_INT(recv[3], before * 10 + 3);
    memset(recv, -1, sizeof recv);
    CHECK_OK(MPI_Ineighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, graph, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(recv[2], before * 10 + 1);
    MPI_Comm_free(&graph);

    /* The same edge from all ranks, with weights: what is sent along an edge has its weight at both ends. */
    int from[1] = {1}, degree[1] = {2}, to[2] = {2, 2};
    weights[0] = check_rank * 10 + 1;
    weights[1] = check_rank * 10;
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, from, degree, to, weights, MPI_INFO_NULL, 0, &graph));
    int first[6], second[6], blocks[6];
    MPI_Dist_graph_neighbors(graph, 6, found[0], first, 6, found[1], second);
    CHECK_OK(MPI_Neighbor_alltoall(second, 1, MPI_INT, blocks, 1, MPI_INT, graph));
    for (int i = 0; check_rank == 2 && i < 6; i++)
        CHECK_INT(blocks[i], first[i]);
    MPI_Comm_free(&graph);
    return check_end();
}
