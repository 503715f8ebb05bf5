#define _GNU_SOURCE
/* User-level threads: a rank calls MPI on stacks of its own, in its heap and in mappings with a page that is closed below,
 * and changes between them while it polls. Right in every execution. (Whether it counts its polls cannot be seen: what
 * calls leave on such a stack is not cleared, so its states cannot be compared.) */
/* smpi: ranks 2 */
/* smpi: smpirun-args --cfg=smpi/self-check:yes */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { THREADS = 2, PAGE = 4096, SIZE = 16 * PAGE };

static ucontext_t home, contexts[THREADS];
static int rank, got[THREADS], is_done[THREADS];
static char *around[2];

static void body(int number) {
    int value = 10 * rank + number, flag = 0;
    MPI_Request requests[2];
    MPI_Irecv(&got[number], 1, MPI_INT, 1 - rank, number, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, number, MPI_COMM_WORLD, &requests[1]);
    while (!flag) {
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        if (!flag)
            swapcontext(&contexts[number], &home);
    }
    is_done[number] = 1;
    swapcontext(&contexts[number], &home);
}

static char *stack(int number) {
    if (number == 0) {
        /* What lies beside it is the program's. */
        around[0] = malloc(2000);
        char *place = malloc(SIZE);
        around[1] = malloc(2000);
        memset(around[0], 7, 2000);
        memset(around[1], 8, 2000);
        return place;
    }
    char *place = mmap(NULL, SIZE + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert(place != MAP_FAILED && mprotect(place, PAGE, PROT_NONE) == 0);
    return place + PAGE;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int number = 0; number < THREADS; number++) {
        getcontext(&contexts[number]);
        contexts[number].uc_stack.ss_sp = stack(number);
        contexts[number].uc_stack.ss_size = SIZE;
        makecontext(&contexts[number], (void (*)(void))body, 1, number);
    }
    while (!is_done[0] || !is_done[1])
        for (int number = 0; number < THREADS; number++)
            if (!is_done[number])
                swapcontext(&home, &contexts[number]);
    for (int number = 0; number < THREADS; number++)
        assert(got[number] == 10 * (1 - rank) + number);
    for (int at = 0; at < 2000; at++)
        assert(around[0][at] == 7 && around[1][at] == 8);
    MPI_Finalize();
    return 0;
}
