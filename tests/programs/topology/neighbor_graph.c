/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Neighborhood collectives on graphs: blocks in the order of the neighbours (section 8.6). */
#include "../check.h"

static void check_graph(void)
{
    int index[4] = {2, 3, 4, 6}, edges[6] = {1, 3, 0, 3, 0, 2}, count, neighbours[2], send[2], recv[2] = {-1, -1};
    MPI_Comm graph;

    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, check_rank, &count);
    MPI_Graph_neighbors(graph, check_rank, count, neighbours);
    CHECK_OK(MPI_Neighbor_allgather(&check_rank, 1, MPI_INT, recv, 1, MPI_INT, graph));
    for (int i = 0; i < count; i++) {
        CHECK_INT(recv[i], neighbours[i]);
        send[i] = check_rank * 10 + neighbours[i];
    }
    CHECK_OK(MPI_Neighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, graph));
    for (int i = 0; i < count; i++)
        CHECK_INT(recv[i], neighbours[i] * 10 + check_rank);
    MPI_Comm_free(&graph);
}

/* Everybody sends to rank 0, and rank 0 to rank 3 only; counts differ from edge to edge. */
static void check_directed(void)
{
    int all[4] = {3, 1, 2, 0}, one, zero = 0, recv[16], displs[4] = {12, 4, 8, 0}, send[4];
    int in = check_rank == 0 ? 4 : check_rank == 3, out = 1 + (check_rank == 0);
    int ends[2] = {0, 3}, send_counts[2], send_displs[2] = {0, 0}, recv_counts[4];
    MPI_Comm graph;

    one = 0;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, check_rank == 0 ? all : &zero, MPI_UNWEIGHTED, out,
                                            ends, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    for (int i = 0; i < 4; i++)
        send[i] = check_rank * 10 + i;
    send_counts[0] = check_rank + 1;
    send_counts[1] = 3;
    for (int i = 0; i < in; i++)
        recv_counts[i] = check_rank == 0 ? all[i] + 1 : 3;
    memset(recv, -1, sizeof recv);
    CHECK_OK(MPI_Neighbor_alltoallv(send, send_counts, send_displs, MPI_INT, recv, recv_counts, displs, MPI_INT,
                                    graph));
    for (int i = 0; i < in; i++) {
        int source = check_rank == 0 ? all[i] : 0;
        for (int k = 0; k < 4; k++)
            CHECK_INT(recv[displs[i] + k], k < recv_counts[i] ? source * 10 + k : -1);
    }
    one = check_rank + 50;
    for (int i = 0; i < in; i++)
        recv_counts[i] = 1;
    memset(recv, -1, sizeof recv);
    CHECK_OK(MPI_Neighbor_allgatherv(&one, 1, MPI_INT, recv, recv_counts, displs, MPI_INT, graph));
    for (int i = 0; i < in; i++)
        CHECK_INT(recv[displs[i]], (check_rank == 0 ? all[i] : 0) + 50);
    MPI_Comm_free(&graph);
}

/* Types that differ between the two ends, with an offset for each block. */
static void check_types(void)
{
    struct {
        char flag;
        double number[4];
    } parts[2];
    double values[4];
    int other = check_rank ^ 1, ends[1] = {other}, one = 1, four = 4;
    MPI_Aint start = (char *)parts[1].number - (char *)parts, zero = 0;
    MPI_Datatype strided, resized, number = MPI_DOUBLE;
    MPI_Comm graph;

    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &strided);
    MPI_Type_create_resized(strided, 0, sizeof(double), &resized);
    MPI_Type_commit(&resized);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, ends, MPI_UNWEIGHTED, 1, ends, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    for (int i = 0; i < 4; i++)
        values[i] = check_rank + i * 0.25;
    one = 2;
    CHECK_OK(MPI_Neighbor_alltoallw(values, &four, &zero, &number, parts, &one, &start, &resized, graph));
    CHECK(parts[1].number[0] == other);
    CHECK(parts[1].number[2] == other + 0.25);
    CHECK(parts[1].number[1] == other + 0.5);
    CHECK(parts[1].number[3] == other + 0.75);
    MPI_Type_free(&strided);
    MPI_Type_free(&resized);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_graph();
    check_directed();
    check_types();
    return check_end();
}
