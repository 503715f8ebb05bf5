/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains MPI_Ssend */
/* Two synchronous sends to each other before the receives never end. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0;

    check_begin(&argc, &argv);
    MPI_Ssend(&value, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return check_end();
}
