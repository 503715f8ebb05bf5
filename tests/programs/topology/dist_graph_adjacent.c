/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Distributed graphs from each rank's own edges keep the order of the edges (section 8.5.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int left, right, in, out, weighted, kind;
    int sources[3], destinations[3], source_weights[3], dest_weights[3];
    MPI_Comm graph, copy;

    check_begin(&argc, &argv);
    left = (check_rank + 4) % 5;
    right = (check_rank + 1) % 5;

    /* A ring with weights; rank 0 in addition has an edge to itself. */
    sources[0] = right, sources[1] = left, sources[2] = 0;
    destinations[0] = left, destinations[1] = right, destinations[2] = 0;
    for (int i = 0; i < 3; i++) {
        source_weights[i] = i == 2 ? 77 : sources[i] * 10 + check_rank;
        dest_weights[i] = i == 2 ? 77 : check_rank * 10 + destinations[i];
    }
    int degree = check_rank == 0 ? 3 : 2;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, sources, source_weights, degree, destinations,
                                            dest_weights, MPI_INFO_NULL, 0, &graph));
    MPI_Comm_dup(graph, &copy);
    MPI_Comm_free(&graph);
    MPI_Topo_test(copy, &kind);
    CHECK_INT(kind, MPI_DIST_GRAPH);
    MPI_Dist_graph_neighbors_count(copy, &in, &out, &weighted);
    CHECK_INT(in, degree);
    CHECK_INT(out, degree);
    CHECK(weighted);
    int found[4][3];
    MPI_Dist_graph_neighbors(copy, 3, found[0], found[1], 3, found[2], found[3]);
    for (int i = 0; i < degree; i++) {
        CHECK_INT(found[0][i], sources[i]);
        CHECK_INT(found[1][i], source_weights[i]);
        CHECK_INT(found[2][i], destinations[i]);
        CHECK_INT(found[3][i], dest_weights[i]);
    }
    /* Weights may be left out. */
    memset(found, -1, sizeof found);
    MPI_Dist_graph_neighbors(copy, degree, found[0], MPI_UNWEIGHTED, degree, found[2], MPI_UNWEIGHTED);
    CHECK_INT(found[0][0], right);
    CHECK_INT(found[2][1], right);
    CHECK_INT(found[1][0], -1);
    MPI_Comm_free(&copy);

    /* Without weights, and with ranks that have no edges. */
    in = check_rank == 4 ? 4 : 0;
    for (int i = 0; i < 3; i++)
        sources[i] = i;
    int all[4] = {3, 2, 1, 0}, four = 4;
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, all, MPI_UNWEIGHTED, check_rank == 4 ? 0 : 1, &four,
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK_INT(in, check_rank == 4 ? 4 : 0);
    CHECK_INT(out, check_rank == 4 ? 0 : 1);
    CHECK(!weighted);
    MPI_Comm_free(&graph);

    /* A weighted graph without any edge. */
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, all, MPI_WEIGHTS_EMPTY, 0, all, MPI_WEIGHTS_EMPTY,
                                            MPI_INFO_NULL, 0, &graph));
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK_INT(in, 0);
    CHECK_INT(out, 0);
    CHECK(weighted);
    MPI_Comm_free(&graph);
    return check_end();
}
