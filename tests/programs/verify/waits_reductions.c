/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: verified deadlock */
/* smpi: expect-executions zero=1 infinite=2 */
/* smpi: reductions none=48 dpor=1 */
/* A broadcast that rank 0 may leave before rank 2 has called it, step by step. */
#include "parts/waits.h"

int main(int argc, char **argv) {
    int data = 1;
    start(&argc, &argv);
    if (rank == 2) send_turn();
    if (rank == 1) receive_turn();
    MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) send_turn();
    if (rank == 1) receive_turn();
    MPI_Finalize();
    return 0;
}
