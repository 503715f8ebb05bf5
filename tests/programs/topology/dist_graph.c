/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Distributed graphs from edges that any rank may contribute (section 8.5.4). */
#include "../check.h"

/* How often `rank` is among the neighbours with this weight (any weight when it is negative). */
static int times(int count, const int *ranks, const int *weights, int rank, int weight)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += ranks[i] == rank && (weight < 0 || weights[i] == weight);
    return found;
}

int main(int argc, char **argv)
{
    int in, out, weighted, found[4][16];
    MPI_Comm graph;

    check_begin(&argc, &argv);

    /* A ring in both directions, each rank telling the edges of the next rank but one. */
    int sources[1] = {(check_rank + 2) % 4}, degrees[1] = {2};
    int destinations[2] = {(check_rank + 1) % 4, (check_rank + 3) % 4}, weights[2] = {1, 2};
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, degrees, destinations, weights, MPI_INFO_NULL, 0,
                                   &graph));
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK_INT(in, 2);
    CHECK_INT(out, 2);
    CHECK(weighted);
    MPI_Dist_graph_neighbors(graph, 2, found[0], found[1], 2, found[2], found[3]);
    CHECK_INT(times(2, found[0], found[1], (check_rank + 1) % 4, 1), 1);
    CHECK_INT(times(2, found[0], found[1], (check_rank + 3) % 4, 2), 1);
    CHECK_INT(times(2, found[2], found[3], (check_rank + 1) % 4, 2), 1);
    CHECK_INT(times(2, found[2], found[3], (check_rank + 3) % 4, 1), 1);
    MPI_Comm_free(&graph);

    /* Everything from rank 2: a star around rank 1, a loop, and an edge that is there twice. */
    int star_sources[3] = {1, 3, 1}, star_degrees[3] = {3, 2, 1}, star_ends[6] = {0, 2, 3, 3, 0, 0};
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, check_rank == 2 ? 3 : 0, star_sources, star_degrees, star_ends,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    int expected_in[4] = {3, 0, 1, 2}, expected_out[4] = {0, 4, 0, 2};
    CHECK_INT(in, expected_in[check_rank]);
    CHECK_INT(out, expected_out[check_rank]);
    CHECK(!weighted);
    MPI_Dist_graph_neighbors(graph, in, found[0], MPI_UNWEIGHTED, out, found[2], MPI_UNWEIGHTED);
    if (check_rank == 0) {
        CHECK_INT(times(3, found[0], NULL, 1, -1), 2);
        CHECK_INT(times(3, found[0], NULL, 3, -1), 1);
    }
    if (check_rank == 3) {
        CHECK_INT(times(2, found[0], NULL, 3, -1), 1);
        CHECK_INT(times(2, found[2], NULL, 3, -1), 1);
        CHECK_INT(times(2, found[2], NULL, 0, -1), 1);
    }
    MPI_Comm_free(&graph);
    return check_end();
}
