// smpi: ranks 4
// smpi: twice
// smpi: shuffled
// smpi: expect-stdout 0: global 10 static 20 local 3 bss 30 table first here 0
// smpi: expect-stdout 1: global 11 static 21 local 3 bss 31 table second here 1
// smpi: expect-stdout 2: global 12 static 22 local 3 bss 32 table first here 2
// smpi: expect-stdout 3: global 13 static 23 local 3 bss 33 table second here 3
/* Every rank has its own global, static and function-static variables, and pointers between them stay inside a rank. */
#include <mpi.h>
#include <stdio.h>

int global = 10;
static int file_static = 20;
static int bss[300000];
static int here;
static int *pointer_to_here = &here;

static const char *first(void) { return "first"; }
static const char *second(void) { return "second"; }
static const char *(*const table[])(void) = {first, second};

static int calls(void)
{
    static int count;
    return ++count;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    global += rank;
    file_static += rank;
    bss[rank * 70000] = 30 + rank;
    *pointer_to_here = rank;
    calls();
    MPI_Barrier(MPI_COMM_WORLD);
    calls();
    printf("%d: global %d static %d local %d bss %d table %s here %d\n", rank, global, file_static, calls(),
           bss[rank * 70000], table[rank % 2](), here);
    MPI_Finalize();
    return 0;
}
