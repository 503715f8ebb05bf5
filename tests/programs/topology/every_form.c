/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Each neighbourhood operation in its six forms: blocking, nonblocking and persistent, with int and with MPI_Count
 * arguments (MPI 5.0 section 8.6 to 8.8). On a ring without its last link, so that the ranks at both ends have a
 * neighbour less: their buffers keep what was there. */
#include "../forms.h"

enum { NEIGHBORS = 2, ELEMENTS = 8, UNTOUCHED = -7 };

static int out[ELEMENTS], in[ELEMENTS];
/* By direction, down and up: what goes down has one element, what goes up has three. */
static int sent[NEIGHBORS] = {1, 3}, received[NEIGHBORS] = {3, 1}, sources[NEIGHBORS] = {0, 4}, places[NEIGHBORS] = {4, 1};
static MPI_Count large_sent[NEIGHBORS] = {1, 3}, large_received[NEIGHBORS] = {3, 1};
static MPI_Aint large_sources[NEIGHBORS] = {0, 4}, large_places[NEIGHBORS] = {4, 1};
static MPI_Aint source_bytes[NEIGHBORS] = {0, 16}, place_bytes[NEIGHBORS] = {16, 4};
static int gathered[NEIGHBORS] = {2, 2};
static MPI_Count large_gathered[NEIGHBORS] = {2, 2};
static MPI_Datatype types[NEIGHBORS] = {MPI_INT, MPI_INT};

EVERY_FORM(Neighbor_allgather, Ineighbor_allgather, (out, 2, MPI_INT, in, 2, MPI_INT), (out, 2, MPI_INT, in, 2, MPI_INT))
EVERY_FORM(Neighbor_allgatherv, Ineighbor_allgatherv, (out, 2, MPI_INT, in, gathered, places, MPI_INT),
           (out, 2, MPI_INT, in, large_gathered, large_places, MPI_INT))
EVERY_FORM(Neighbor_alltoall, Ineighbor_alltoall, (out, 2, MPI_INT, in, 2, MPI_INT), (out, 2, MPI_INT, in, 2, MPI_INT))
EVERY_FORM(Neighbor_alltoallv, Ineighbor_alltoallv, (out, sent, sources, MPI_INT, in, received, places, MPI_INT),
           (out, large_sent, large_sources, MPI_INT, in, large_received, large_places, MPI_INT))
EVERY_FORM(Neighbor_alltoallw, Ineighbor_alltoallw, (out, sent, source_bytes, types, in, received, place_bytes, types),
           (out, large_sent, source_bytes, types, in, large_received, place_bytes, types))

/* Element `i` of the rank below (direction 0) or above. */
static int of(int direction, int i)
{
    int rank = direction == 0 ? check_rank - 1 : check_rank + 1;

    return rank >= 0 && rank < check_size ? 100 * rank + i : UNTOUCHED;
}

static int allgather(int i) { return i < 4 ? of(i / 2, i % 2) : UNTOUCHED; }
static int allgatherv(int i) { return i / 2 == 2 ? of(0, i % 2) : i == 1 || i == 2 ? of(1, i - 1) : UNTOUCHED; }
/* From below comes what that rank sends up, its second block. */
static int alltoall(int i) { return i < 2 ? of(0, 2 + i) : i < 4 ? of(1, i - 2) : UNTOUCHED; }
static int alltoallv(int i) { return i == 1 ? of(1, 0) : i >= 4 && i < 7 ? of(0, i) : UNTOUCHED; }

static const struct operation operations[] = {
    OPERATION(Neighbor_allgather, allgather), OPERATION(Neighbor_allgatherv, allgatherv),
    OPERATION(Neighbor_alltoall, alltoall),   OPERATION(Neighbor_alltoallv, alltoallv),
    OPERATION(Neighbor_alltoallw, alltoallv),
};

int main(int argc, char **argv)
{
    int dims[1] = {4}, periods[1] = {0};

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &forms_comm));
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (enum form form = BLOCKING; form < FORMS; form++) {
            for (int i = 0; i < ELEMENTS; i++) {
                out[i] = 100 * check_rank + i;
                in[i] = UNTOUCHED;
            }
            operations[k].run(form);
            for (int i = 0; i < ELEMENTS; i++)
                if (in[i] != operations[k].expected(i)) {
                    printf("%s, %s: element %d\n", operations[k].name, form_names[form], i);
                    CHECK_INT(in[i], operations[k].expected(i));
                }
        }
    MPI_Comm_free(&forms_comm);
    return check_end();
}
