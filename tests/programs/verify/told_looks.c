/* Each rank looks before each of eight waits whether its message is there: 2.4 million executions or so. No rank is told what another
 * one saw, so each is explored by itself: 255 executions beside the first one. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=766 infinite=766 */
/* smpi: expect-stderr-contains explored with the reduction histories */
#include "parts/looks.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 8; round++)
        look_and_wait(round);
    MPI_Finalize();
    return 0;
}
