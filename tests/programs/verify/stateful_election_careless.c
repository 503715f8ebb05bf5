/* Ranks that pass on what they should keep: there may be two leaders. */
/* smpi: ranks 4 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: expect-finding assertion */
#include "parts/election.h"

int main(int argc, char **argv) {
    run(argc, argv, 1);
}
