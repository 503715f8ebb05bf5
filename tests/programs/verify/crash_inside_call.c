/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --buffering zero --stack-size 1MiB */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains stack overflow inside an MPI call */
/* smpi: expect-stderr-contains crash_inside_call.c: */
/* smpi: expect-stderr-contains --replay 1/zero */
/* Endless recursion that calls MPI again and again: the stack ends in libsmpi's own frames, most likely while its state is
   in use. That is the program's mistake all the same. */
#include <mpi.h>

static int recurse(int level)
{
    MPI_Barrier(MPI_COMM_SELF);
    return 1 + recurse(level + 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int sum = recurse(0);
    MPI_Finalize();
    return sum;
}
