/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A type may be freed while a message that uses it is under way (MPI 5.0 section 5.1.9). */
#include "../check.h"

#define ROWS 5000

int main(int argc, char **argv)
{
    static int grid[ROWS][3];
    MPI_Datatype column;
    MPI_Request request;
    int wrong = 0;

    check_begin(&argc, &argv);
    MPI_Type_vector(ROWS, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < ROWS; i++)
        grid[i][1] = check_rank == 0 ? i : -1;
    if (check_rank == 0)
        MPI_Isend(&grid[0][1], 1, column, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&grid[0][1], 1, column, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS; i++)
        wrong += grid[i][1] != i || grid[i][0] != 0;
    CHECK_INT(wrong, 0);
    return check_end();
}
