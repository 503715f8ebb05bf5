/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains a call of what is no function */
/* smpi: expect-stderr-contains _wild_function.c:15 */
/* Rank 1 calls through a pointer that leads nowhere. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        ((void (*)(void))0x7e0000001000)();
    MPI_Finalize();
    return 0;
}
