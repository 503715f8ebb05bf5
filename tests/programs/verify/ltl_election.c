/* There is a leader again and again, and never two at a time. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=G(F(leader0||leader1||leader2))&&G(!(leader0&&leader1)&&!(leader1&&leader2)&&!(leader0&&leader2)) --buffering infinite */
/* smpi: passes liveness */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "parts/election.h"

int main(int argc, char **argv) {
    run(argc, argv, 0);
}
