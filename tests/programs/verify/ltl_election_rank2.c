/* Which rank leads is left to chance: rank 2 need never want to. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=F(leader2) --buffering infinite */
/* smpi: expect-finding liveness */
#include "parts/election.h"

int main(int argc, char **argv) {
    run(argc, argv, 0);
}
