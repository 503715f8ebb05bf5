// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-exit 5
// smpi: expect-stdout 0.1: registered
// smpi: expect-stdout 0.2: third, and it registers one more
// smpi: expect-stdout 0.3: one more
// smpi: expect-stdout 0.4: second, code 5
// smpi: expect-stdout 0.5: first
// smpi: expect-stdout 0.6: destructor
// smpi: expect-stdout 1.1: registered
// smpi: expect-stdout 1.2: third, and it registers one more
// smpi: expect-stdout 1.3: one more
// smpi: expect-stdout 1.4: second, code 5
// smpi: expect-stdout 1.5: first
// smpi: expect-stdout 1.6: destructor
/* exit() deep in the program runs the rank's own handlers, last registered first, then its destructors. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, line;

static void first(void) { printf("%d.%d: first\n", rank, ++line); }
static void one_more(void) { printf("%d.%d: one more\n", rank, ++line); }

static void second(int code, void *name) { printf("%d.%d: %s, code %d\n", rank, ++line, (const char *)name, code); }

static void third(void)
{
    printf("%d.%d: third, and it registers one more\n", rank, ++line);
    atexit(one_more);
}

__attribute__((destructor)) static void destructor(void) { printf("%d.%d: destructor\n", rank, ++line); }

static int deep(int levels)
{
    if (levels == 0)
        exit(5);
    return deep(levels - 1) + 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(first);
    on_exit(second, "second");
    atexit(third);
    printf("%d.%d: registered\n", rank, ++line);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return deep(10);
}
