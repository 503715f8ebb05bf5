/* As each_mixture_small.c, but whoever is first, rank 0 receives before it sends: right with every mixture. */
/* smpi: passes deadlock/buffering deadlock */
/* smpi: ranks 3 */
/* smpi: verify --buffering each */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
#include <mpi.h>
#include "parts/mixture.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    mixture(1);
    MPI_Finalize();
    return 0;
}
