/* The deadlock of each_mixture_small.c needs one send to be buffered and another one not to be: both extremes are explored completely,
 * and do not show it. */
/* smpi: ranks 3 */
/* smpi: verify --buffering both */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=2 */
#include <mpi.h>
#include "parts/mixture.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    mixture(0);
    MPI_Finalize();
    return 0;
}
