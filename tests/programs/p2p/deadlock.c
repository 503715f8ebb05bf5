/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains MPI_Recv */
/* Ranks that all wait for each other are a deadlock: the run ends, and says what each waits for. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0;

    check_begin(&argc, &argv);
    MPI_Recv(&value, 1, MPI_INT, (check_rank + 1) % check_size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, (check_rank + 2) % check_size, 4, MPI_COMM_WORLD);
    return check_end();
}
