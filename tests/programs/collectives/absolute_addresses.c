/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Both buffers may be MPI_BOTTOM, with datatypes of absolute addresses (MPI 5.0 section 5.1.12). */
#include "../check.h"

static MPI_Datatype at(void *address, int count)
{
    MPI_Aint place;
    MPI_Datatype type;

    MPI_Get_address(address, &place);
    MPI_Type_create_hindexed(1, &count, &place, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    int from = -1, to[3] = {-1, -1, -1}, one = -1;

    check_begin(&argc, &argv);
    MPI_Datatype from_type = at(&from, 1), to_type = at(to, 1), one_type = at(&one, 1);

    from = 10 + check_rank;
    MPI_Gather(MPI_BOTTOM, 1, from_type, MPI_BOTTOM, 1, to_type, 1, MPI_COMM_WORLD);
    for (int rank = 0; rank < check_size; rank++)
        CHECK_INT(to[rank], check_rank == 1 ? 10 + rank : -1);
    MPI_Allgather(MPI_BOTTOM, 1, from_type, MPI_BOTTOM, 1, to_type, MPI_COMM_WORLD);
    for (int rank = 0; rank < check_size; rank++)
        CHECK_INT(to[rank], 10 + rank);
    MPI_Scatter(MPI_BOTTOM, 1, to_type, MPI_BOTTOM, 1, one_type, 2, MPI_COMM_WORLD);
    CHECK_INT(one, 10 + check_rank);

    MPI_Type_free(&from_type);
    MPI_Type_free(&to_type);
    MPI_Type_free(&one_type);
    return check_end();
}
