/* There are never two leaders, and nobody waits for ever. */
/* smpi: ranks 4 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: passes assertion deadlock */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "parts/election.h"

int main(int argc, char **argv) {
    run(argc, argv, 0);
}
