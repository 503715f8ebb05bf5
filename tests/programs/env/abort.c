/* smpi: ranks 4 */
/* smpi: expect-exit 7 */
/* MPI_Abort of one rank ends all of them, though they wait for ever, with its code as exit code (MPI 5.0 section 9.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value;

    check_begin(&argc, &argv);
    if (check_rank == 2)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("FAIL a rank went on after MPI_Abort\n");
    return 0;
}
