/* The deadlock of each_leaves.c is not seen where all collectives do the same. */
/* smpi: ranks 3 */
/* smpi: verify --buffering both */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=2 */
#include <mpi.h>
#include "parts/leaves.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    leaves(0);
    MPI_Finalize();
    return 0;
}
