/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Arguments that the functions on topologies refuse; the classes are a choice among what MPI leaves open. */
#include "../check.h"

static void check_creation(void)
{
    MPI_Comm comm;
    int rank;

    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){3, 2}, (int[]){0, 0}, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){0}, (int[]){0}, 0, &comm), MPI_ERR_DIMS);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){70000, 70000}, (int[]){0, 0}, 0, &comm), MPI_ERR_DIMS);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, -1, (int[]){1}, (int[]){0}, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, NULL, (int[]){0}, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){1}, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){0}, 0, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_NULL, 1, (int[]){1}, (int[]){0}, 0, &comm), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Cart_map(MPI_COMM_WORLD, 1, (int[]){5}, (int[]){0}, &rank), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){1 + check_rank % 2}, (int[]){0}, 0, &comm),
                MPI_ERR_NOT_SAME);
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, 5, (int[]){0, 0, 0, 0, 0}, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 0}, (int[]){1}, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 2}, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, -1, NULL, NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_map(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){1}, &rank), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dims_create(6, 2, (int[]){4, 0}), MPI_ERR_DIMS);
    CHECK_ERROR(MPI_Dims_create(6, 2, (int[]){-2, 0}), MPI_ERR_DIMS);
    CHECK_ERROR(MPI_Dims_create(0, 1, (int[]){0}), MPI_ERR_ARG);
}

static void check_dist_graphs(void)
{
    MPI_Comm comm;
    int zero[1] = {0}, one[1] = {1}, four[1] = {4}, minus[1] = {-1};

    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, four, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                               MPI_INFO_NULL, 0, &comm), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, zero, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                               MPI_INFO_NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zero, minus, 1, zero, one, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zero, one, 1, zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                               &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zero, MPI_WEIGHTS_EMPTY, 1, zero, one, MPI_INFO_NULL,
                                               0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, one, four, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_RANK);
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, minus, one, zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_RANK);
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, minus, zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
                MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, one, zero, NULL, MPI_INFO_NULL, 0, &comm), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zero, one, zero, check_rank ? one : MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &comm), MPI_ERR_NOT_SAME);
}

static void check_inquiry(void)
{
    MPI_Comm cart, graph;
    int a[4], b[4], c[4], number = 0;

    CHECK_ERROR(MPI_Cartdim_get(MPI_COMM_WORLD, &number), MPI_ERR_TOPOLOGY);
    CHECK_ERROR(MPI_Graphdims_get(MPI_COMM_WORLD, a, b), MPI_ERR_TOPOLOGY);
    CHECK_ERROR(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, a, b, c), MPI_ERR_TOPOLOGY);
    CHECK_ERROR(MPI_Neighbor_allgather(&number, 1, MPI_INT, a, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
    CHECK_ERROR(MPI_Topo_test(MPI_COMM_NULL, &number), MPI_ERR_COMM);

    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 0}, 0, &cart);
    CHECK_ERROR(MPI_Cart_get(cart, 1, a, b, c), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_coords(cart, 0, 1, a), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_coords(cart, 4, 2, a), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Cart_coords(cart, -1, 2, a), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Cart_rank(cart, (int[]){5, 2}, a), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_rank(cart, NULL, a), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Cart_shift(cart, 2, 1, a, b), MPI_ERR_DIMS);
    CHECK_ERROR(MPI_Cart_shift(cart, -1, 1, a, b), MPI_ERR_DIMS);
    CHECK_ERROR(MPI_Cart_sub(cart, NULL, &graph), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_neighbors_count(cart, 0, a), MPI_ERR_TOPOLOGY);
    CHECK_ERROR(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, a, 1, MPI_INT, cart), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Neighbor_alltoall(a, -1, MPI_INT, b, 1, MPI_INT, cart), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Neighbor_alltoallv(a, NULL, b, MPI_INT, b, c, c, MPI_INT, cart), MPI_ERR_ARG);
    MPI_Comm_free(&cart);

    MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){1, 1, 1, 1}, (int[]){2}, 0, &graph);
    CHECK_ERROR(MPI_Graph_get(graph, 3, 1, a, b), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_get(graph, 4, 0, a, b), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_neighbors(graph, 0, 0, a), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Graph_neighbors_count(graph, 4, a), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Cart_shift(graph, 0, 1, a, b), MPI_ERR_TOPOLOGY);
    /* An edge in one direction only is no neighbourhood. */
    CHECK_ERROR(MPI_Neighbor_allgather(&number, 1, MPI_INT, a, 1, MPI_INT, graph), MPI_ERR_TOPOLOGY);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_errors_return();
    check_creation();
    check_dist_graphs();
    check_inquiry();
    return check_end();
}
