/* A deadlock only if the root of one broadcast leaves early, and that of another one does not: neither extreme shows it. */
/* smpi: ranks 3 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-executions 4 */
#include <mpi.h>
#include "parts/leaves.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    leaves(0);
    MPI_Finalize();
    return 0;
}
