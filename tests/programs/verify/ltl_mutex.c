/* Never two clients in the critical section, of three. 187 states if nothing is left out. */
/* smpi: ranks 4 */
/* smpi: verify --ltl=G(!(cs1&&cs2)) --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 78 */
#include "parts/mutex.h"

int main(int argc, char **argv) {
    run(argc, argv, 0);
}
