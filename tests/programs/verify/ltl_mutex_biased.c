/* Client 1 asks, and is never let in. */
/* smpi: ranks 4 */
/* smpi: verify --ltl=G(r1->F(cs1)) */
/* smpi: expect-finding liveness */
#include "parts/mutex.h"

int main(int argc, char **argv) {
    run(argc, argv, 1);
}
