/* Rank 0 may take the message of 2, which rank 1 has caused, before that of 1: only if rank 1's first send is buffered. Then both
 * send to each other before they receive: a deadlock if those sends are not buffered. Neither extreme shows it. */
/* smpi: ranks 3 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
#include <mpi.h>
#include "parts/mixture.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    mixture(0);
    MPI_Finalize();
    return 0;
}
