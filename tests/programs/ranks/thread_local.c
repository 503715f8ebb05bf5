// smpi: ranks 4
// smpi: twice
// smpi: shuffled
// smpi: expect-stdout 0: number 40 zero 0 text a aligned 0 array 0 0
// smpi: expect-stdout 1: number 41 zero 10 text b aligned 0 array 1 99
// smpi: expect-stdout 2: number 42 zero 20 text c aligned 0 array 2 198
// smpi: expect-stdout 3: number 43 zero 30 text d aligned 0 array 3 297
/* __thread variables are private to a rank and start with their initial values. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static __thread int number = 40;
static __thread int zero;
static __thread char text[4] = "a";
static __thread double aligned __attribute__((aligned(64)));
_Thread_local int array[100];

int main(int argc, char **argv)
{
    int rank, *address;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (number != 40 || zero != 0 || text[0] != 'a' || array[99] != 0)
        printf("%d: wrong initial values\n", rank);
    number += rank;
    zero = 10 * rank;
    text[0] = (char)(text[0] + rank);
    address = &array[1];
    for (int i = 0; i < 100; i++)
        array[i] = rank * i;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: number %d zero %d text %s aligned %d array %d %d\n", rank, number, zero, text,
           (int)((uintptr_t)&aligned % 64), *address, array[99]);
    MPI_Finalize();
    return 0;
}
