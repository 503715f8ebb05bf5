// smpi: ranks 2
// smpi: compile-args -g
// smpi: requires smpi
// smpi: expect-exit 139
// smpi: expect-stderr-contains rank 1: SIGSEGV
// smpi: expect-stderr-contains in measure (
// smpi: expect-stderr-contains crash_in_libc.c:17
/* A crash inside a function of libc is reported where the program called it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *volatile nothing;

__attribute__((noinline)) static size_t measure(const char *text)
{
    size_t length = strlen(text);
    return length + 1;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        printf("%zu\n", measure(nothing));
    MPI_Finalize();
    return 0;
}
