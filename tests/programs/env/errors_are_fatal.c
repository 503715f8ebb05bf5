/* smpi: ranks 2 */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains MPI_Send */
/* smpi: expect-stderr-contains MPI_ERR_RANK */
/* By default an error ends the run, with a message that names the function and the class (MPI 5.0 section 9.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0;

    check_begin(&argc, &argv);
    if (check_rank == 0)
        MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("FAIL the program went on after a fatal error\n");
    return 0;
}
