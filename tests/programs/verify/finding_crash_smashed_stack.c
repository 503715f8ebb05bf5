/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 -fno-stack-protector -fcf-protection=none */
/* smpi: expect-finding crash */
/* A function returns to an address that it has overwritten, and so is everything above it on the stack. */
#include <mpi.h>
#include <string.h>

static void smash(volatile int byte, int length)
{
    char small[8];
    memset(small, byte, length);
}

int main(int argc, char **argv)
{
    int rank;
    volatile char room[512];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    room[0] = 0;
    if (rank == 1)
        smash(0x41, 200);
    MPI_Finalize();
    return room[0];
}
