/* smpi: ranks 7 */
/* smpi: expect-pass */
/* MPI_Comm_split groups by colour, orders by key and then by old rank, and leaves out MPI_UNDEFINED (MPI 5.0 section 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm part;
    int rank, size, sum = 0;

    check_begin(&argc, &argv);
    /* Even and odd; equal keys keep the old order. */
    MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &part);
    MPI_Comm_rank(part, &rank);
    MPI_Comm_size(part, &size);
    CHECK_INT(rank, check_rank / 2);
    CHECK_INT(size, check_rank % 2 ? 3 : 4);
    MPI_Comm_free(&part);

    /* Reverse order by key; rank 3 stays out. */
    MPI_Comm_split(MPI_COMM_WORLD, check_rank == 3 ? MPI_UNDEFINED : 5, 100 - check_rank, &part);
    if (check_rank == 3)
        CHECK(part == MPI_COMM_NULL);
    else {
        MPI_Comm_rank(part, &rank);
        MPI_Comm_size(part, &size);
        CHECK_INT(size, 6);
        CHECK_INT(rank, check_rank > 3 ? 6 - check_rank : 5 - check_rank);
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, part);
        CHECK_INT(sum, 18);
        MPI_Comm_free(&part);
    }

    /* Equal, negative and huge keys; each its own colour afterwards. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, check_rank == 6 ? -2000000000 : check_rank < 3 ? 2000000000 : 0, &part);
    MPI_Comm_rank(part, &rank);
    CHECK_INT(rank, check_rank == 6 ? 0 : check_rank < 3 ? check_rank + 4 : check_rank - 2);
    MPI_Comm_free(&part);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank * 1000, 0, &part);
    MPI_Comm_size(part, &size);
    CHECK_INT(size, 1);
    MPI_Comm_free(&part);
    return check_end();
}
