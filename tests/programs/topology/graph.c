/* smpi: ranks 5 */
/* smpi: expect-pass */
/* The graph of the standard's example on the first four ranks, and one with loops and repeated edges (section 8.5.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    int index[4] = {2, 3, 4, 6}, edges[6] = {1, 3, 0, 3, 0, 2};
    int loops_index[5] = {3, 4, 4, 4, 4}, loops_edges[4] = {0, 1, 1, 0};
    int found_index[5], found_edges[6], nodes, count, kind, rank, result;
    MPI_Comm graph, copy;

    check_begin(&argc, &argv);
    MPI_Graph_map(MPI_COMM_WORLD, 4, index, edges, &rank);
    CHECK(check_rank < 4 ? rank >= 0 && rank < 4 : rank == MPI_UNDEFINED);
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph));
    if (check_rank == 4) {
        CHECK(graph == MPI_COMM_NULL);
    } else {
        MPI_Topo_test(graph, &kind);
        CHECK_INT(kind, MPI_GRAPH);
        MPI_Comm_dup(graph, &copy);
        MPI_Comm_compare(graph, copy, &result);
        CHECK_INT(result, MPI_CONGRUENT);
        MPI_Comm_free(&graph);
        MPI_Graphdims_get(copy, &nodes, &count);
        CHECK_INT(nodes, 4);
        CHECK_INT(count, 6);
        MPI_Graph_get(copy, 4, 6, found_index, found_edges);
        CHECK(memcmp(found_index, index, sizeof index) == 0);
        CHECK(memcmp(found_edges, edges, sizeof edges) == 0);
        for (int node = 0; node < 4; node++) {
            int start = node == 0 ? 0 : index[node - 1];
            MPI_Graph_neighbors_count(copy, node, &count);
            CHECK_INT(count, index[node] - start);
            MPI_Graph_neighbors(copy, node, 2, found_edges);
            for (int i = 0; i < count; i++)
                CHECK_INT(found_edges[i], edges[start + i]);
        }
        MPI_Comm_free(&copy);
    }

    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 5, loops_index, loops_edges, 1, &graph));
    MPI_Graph_neighbors_count(graph, 0, &count);
    CHECK_INT(count, 3);
    MPI_Graph_neighbors(graph, 0, 3, found_edges);
    CHECK(memcmp(found_edges, loops_edges, 3 * sizeof(int)) == 0);
    MPI_Graph_neighbors_count(graph, 3, &count);
    CHECK_INT(count, 0);
    MPI_Comm_free(&graph);
    return check_end();
}
