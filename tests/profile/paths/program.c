/* MPI is called by a library, by functions that a library or qsort calls back, and beside a variable array and one that
   is aligned by more than a stack is. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#define ALONE __attribute__((noinline))
int library_exchange(int number);
int library_call(int (*function)(int), int number);
static ALONE int own(int number)
{
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return number + 1;
}
static ALONE int step(int number)
{
    return library_exchange(number) + library_call(own, number);
}
static ALONE int compare(const void *one, const void *other)
{
    int all, number = *(const int *)one;
    MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return number - *(const int *)other;
}
static ALONE int sort(int *numbers)
{
    qsort(numbers, 2, sizeof *numbers, compare);
    return numbers[0];
}
static ALONE int scan(int *numbers)
{
    MPI_Scan(MPI_IN_PLACE, numbers, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return numbers[0];
}
static ALONE int variable(int count)
{
    int numbers[count];
    memset(numbers, 0, sizeof numbers);
    return scan(numbers) + numbers[1];
}
static ALONE int aligned(int count)
{
    int numbers[16] __attribute__((aligned(64)));
    memset(numbers, count, sizeof numbers);
    return scan(numbers) + numbers[1];
}
int main(int argc, char **argv)
{
    int numbers[2] = {2, 1}, sum = 0;
    MPI_Init(&argc, &argv);
    for (int number = 0; number < 3; number++)
        sum += step(number);
    sum += library_exchange(7);
    sum += sort(numbers);
    sum += variable(argc + 2);
    sum += aligned(argc);
    MPI_Finalize();
    return sum == 0;
}
