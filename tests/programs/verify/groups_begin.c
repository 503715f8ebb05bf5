/* Twelve groups of three ranks that hear nothing of each other: 4,096 executions, of which the exploration sees 48. It begins again
 * by groups then, as if --reduction histories had been given. */
/* smpi: ranks 36 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=13 infinite=13 */
/* smpi: expect-stderr-contains explored with the reduction histories */
/* smpi: expect-stderr-contains not combined */
#include "parts/groups.h"

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first_of_group(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
