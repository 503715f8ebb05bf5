/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 -fno-stack-protector -fcf-protection=none */
/* smpi: expect-finding crash */
/* smpi: nowhere */
/* A function returns to an address that could be one of code and has none, with a stack that is overwritten above:
 * neither where it is nor who has called it can be known. */
#include <mpi.h>

static void smash(volatile unsigned long *from, int words)
{
    for (int word = 0; word < words; word++)
        from[word] = 0x7e0000001000;
}

static void called(int words)
{
    unsigned long small[2] = {0};
    smash(small, words);
}

int main(int argc, char **argv)
{
    int rank;
    volatile char room[512];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    room[0] = 0;
    if (rank == 1)
        called(30);
    MPI_Finalize();
    return room[0];
}
