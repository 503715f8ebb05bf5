/* Each rank looks before each wait whether its message is there, and forgets what it saw, but for the first time: millions of
 * executions, of which the exploration sees 48. It begins again by states then, as if --stateful had been given. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=218 infinite=283 */
/* smpi: expect-stderr-contains zero buffering and infinite buffering: states were recognised */
#define TELLS
#include "parts/looks.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 8; round++)
        look_and_wait(round);
    MPI_Finalize();
    return 0;
}
