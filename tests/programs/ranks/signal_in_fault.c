#define _GNU_SOURCE
/* The handler of a crash runs on its rank's own stack: it may call MPI while other ranks crash, too, and come back when it
 * has mended the cause. */
/* smpi: ranks 3 */
/* smpi: expect-pass */
#include "../check.h"
#include <signal.h>
#include <sys/mman.h>

static int rank, sum;
static char *page;

static void mend(int signal, siginfo_t *info, void *context) {
    double kept = 1.5 * rank;
    (void)signal;
    (void)context;
    CHECK((char *)info->si_addr == page + 8);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(kept == 1.5 * rank, 1);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    rank = check_rank;
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    double before = 0.25 + rank;
    page[8] = (char)rank;
    CHECK_INT(page[8], rank);
    CHECK_INT(sum, 3);
    CHECK_INT(before == 0.25 + rank, 1);
    return check_end();
}
