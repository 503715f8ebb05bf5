/* Ranks that remember what each look saw: each execution has states of its own, so that a tenth as many states as executions are
 * soon there. The exploration goes back to executions, of which each has its own answers. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1024 infinite=1024 */
#define TELLS
#include "parts/looks.h"

int main(int argc, char **argv) {
    volatile int seen[5];
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 5; round++)
        seen[round] = look_and_wait(round);
    MPI_Finalize();
    return 0;
}
