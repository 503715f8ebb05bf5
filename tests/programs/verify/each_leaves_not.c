/* As each_leaves.c, but nobody relies on leaving the second broadcast early. */
/* smpi: passes deadlock/buffering deadlock */
/* smpi: ranks 3 */
/* smpi: verify --buffering each */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
#include <mpi.h>
#include "parts/leaves.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    leaves(1);
    MPI_Finalize();
    return 0;
}
