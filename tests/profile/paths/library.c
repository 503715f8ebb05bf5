/* A library that calls MPI, and functions of the program. */
#include <mpi.h>
#define ALONE __attribute__((noinline))
static ALONE int exchange(int number)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return number + 1;
}
int library_exchange(int number)
{
    return exchange(number) + 1;
}
int library_call(int (*function)(int), int number)
{
    return function(number) + 1;
}
