/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Duplicates have the topology of the original; split and MPI_Comm_create make communicators without (section 8.4). */
#include "../check.h"

static int kind_of(MPI_Comm comm)
{
    int kind = -1;
    MPI_Topo_test(comm, &kind);
    return kind;
}

int main(int argc, char **argv)
{
    int dims[2] = {2, 2}, periods[2] = {1, 0}, from, to, expected_from, expected_to;
    MPI_Comm cart, copy, part;
    MPI_Group group;
    MPI_Request request;

    check_begin(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_shift(cart, 1, 1, &expected_from, &expected_to);
    MPI_Comm_idup(cart, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(kind_of(copy), MPI_CART);
    MPI_Comm_free(&copy);
    MPI_Comm_dup_with_info(cart, MPI_INFO_NULL, &copy);
    CHECK_INT(kind_of(copy), MPI_CART);
    MPI_Comm_free(&copy);
    MPI_Comm_dup(cart, &copy);
    MPI_Comm_split(cart, 0, 0, &part);
    CHECK_INT(kind_of(part), MPI_UNDEFINED);
    MPI_Comm_free(&part);
    MPI_Comm_group(cart, &group);
    MPI_Comm_create(cart, group, &part);
    CHECK_INT(kind_of(part), MPI_UNDEFINED);
    MPI_Group_free(&group);
    MPI_Comm_free(&part);
    MPI_Comm_free(&cart);
    CHECK_OK(MPI_Cart_shift(copy, 1, 1, &from, &to));
    CHECK_INT(from, expected_from);
    CHECK_INT(to, expected_to);
    /* A grid of a grid is the new one. */
    dims[0] = 4;
    MPI_Cart_create(copy, 1, dims, periods, 0, &cart);
    MPI_Cart_shift(cart, 0, 1, &from, &to);
    CHECK_INT(to, (check_rank + 1) % 4);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&copy);
    return check_end();
}
