/* smpi: ranks 9 */
/* smpi: expect-pass */
/* A user operation that does not commute is applied in the order of ranks, in every reduction (MPI 5.0 section 6.9.5). */
#include "../check.h"

/* The affine maps x -> a x + b modulo a prime: their composition is associative, not commutative. */
struct map {
    int a, b;
};
#define PRIME 10007
#define COUNT 3

static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct map *first = in, *second = inout;
    (void)type;
    for (int i = 0; i < *length; i++) {
        struct map both = {first[i].a * second[i].a % PRIME,
                           (second[i].a * first[i].b + second[i].b) % PRIME};
        second[i] = both;
    }
}

static struct map map_of(int rank, int i)
{
    struct map map = {2 + rank * 3 + i, 5 + rank * rank + 7 * i};
    return map;
}

/* The composition of the maps of ranks first to last. */
static struct map expected(int first, int last, int i)
{
    struct map result = map_of(first, i);
    for (int rank = first + 1; rank <= last; rank++) {
        struct map next = map_of(rank, i);
        int length = 1;
        compose(&result, &next, &length, NULL);
        result = next;
    }
    return result;
}

static void check_maps(const struct map *found, int first, int last)
{
    for (int i = 0; i < COUNT; i++) {
        struct map right = expected(first, last, i);
        CHECK_INT(found[i].a, right.a);
        CHECK_INT(found[i].b, right.b);
    }
}

static void test(MPI_Comm comm, int rank, int size)
{
    struct map mine[COUNT], result[COUNT], many[9 * COUNT], block[COUNT];
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    int commutes = 1;

    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK_INT(commutes, 0);
    for (int i = 0; i < COUNT; i++)
        mine[i] = map_of(rank, i);
    for (int root = 0; root < size; root++) {
        MPI_Reduce(mine, result, COUNT, type, op, root, comm);
        if (rank == root)
            check_maps(result, 0, size - 1);
        MPI_Ireduce(mine, result, COUNT, type, op, root, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == root)
            check_maps(result, 0, size - 1);
    }
    MPI_Allreduce(mine, result, COUNT, type, op, comm);
    check_maps(result, 0, size - 1);
    MPI_Iallreduce(mine, result, COUNT, type, op, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_maps(result, 0, size - 1);
    MPI_Scan(mine, result, COUNT, type, op, comm);
    check_maps(result, 0, rank);
    MPI_Iscan(mine, result, COUNT, type, op, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_maps(result, 0, rank);
    MPI_Exscan(mine, result, COUNT, type, op, comm);
    if (rank > 0)
        check_maps(result, 0, rank - 1);
    MPI_Iexscan(mine, result, COUNT, type, op, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank > 0)
        check_maps(result, 0, rank - 1);
    for (int block_of = 0; block_of < size; block_of++)
        memcpy(many + block_of * COUNT, mine, sizeof mine);
    MPI_Reduce_scatter_block(many, block, COUNT, type, op, comm);
    check_maps(block, 0, size - 1);
    int counts[9];
    for (int r = 0; r < size; r++)
        counts[r] = COUNT;
    MPI_Reduce_scatter(many, block, counts, type, op, comm);
    check_maps(block, 0, size - 1);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
