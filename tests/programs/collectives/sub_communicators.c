/* smpi: ranks 8 */
/* smpi: expect-pass */
/* Collectives on disjoint and on overlapping communicators run side by side: rows and columns of a grid. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm row, column;
    MPI_Request requests[2];
    int row_sum = 0, column_sum = 0, world_sum = 0, row_rank, column_rank;

    check_begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank / 4, -check_rank, &row); /* in reverse order */
    MPI_Comm_split(MPI_COMM_WORLD, check_rank % 4, check_rank, &column);
    MPI_Comm_rank(row, &row_rank);
    MPI_Comm_rank(column, &column_rank);
    CHECK_INT(row_rank, 3 - check_rank % 4);
    CHECK_INT(column_rank, check_rank / 4);
    for (int round = 0; round < 10; round++) {
        MPI_Iallreduce(&check_rank, &row_sum, 1, MPI_INT, MPI_SUM, row, &requests[0]);
        MPI_Iallreduce(&check_rank, &column_sum, 1, MPI_INT, MPI_SUM, column, &requests[1]);
        MPI_Allreduce(&check_rank, &world_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK_INT(row_sum, check_rank < 4 ? 6 : 22);
        CHECK_INT(column_sum, 2 * (check_rank % 4) + 4);
        CHECK_INT(world_sum, 28);
        int from_root = row_rank == 1 ? check_rank : -1;
        MPI_Bcast(&from_root, 1, MPI_INT, 1, row);
        CHECK_INT(from_root, check_rank < 4 ? 2 : 6);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    return check_end();
}
