/* As polls_begin_states: it is wrong not to find the first message at once, which the exploration comes to last. Two processes find
 * it as one does. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: verify --jobs 2 */
/* smpi: expect-finding assertion */
/* smpi: expect-incomplete */
/* smpi: expect-states zero=105 */
#include <assert.h>

#include "parts/looks.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 8; round++) {
        int found = look_and_wait(round);
        assert(round > 0 || found);
    }
    MPI_Finalize();
    return 0;
}
