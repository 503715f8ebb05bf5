/* As groups_begin; the first group tells the last one if its second message comes first, which the exploration sees late, and together
 * they are wrong in some of their ways (with zero buffering all ranks wait for that message). Two processes find the same. */
/* smpi: ranks 36 */
/* smpi: platform none */
/* smpi: verify --keep-going --jobs 2 */
/* smpi: expect-finding assertion */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-finding mpi/pending-at-finalize */
/* smpi: expect-complete */
/* smpi: expect-executions zero=14 infinite=16 */
#include <assert.h>

#include "parts/groups.h"

enum { LAST = 33, LATE = 1 };

int main(int argc, char **argv) {
    int rank, told = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int first = first_of_group(rank);
    if (rank == 0 && first == 2)
        MPI_Send(&first, 1, MPI_INT, LAST, LATE, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == LAST)
        MPI_Iprobe(0, LATE, MPI_COMM_WORLD, &told, MPI_STATUS_IGNORE);
    if (told)
        MPI_Recv(&told, 1, MPI_INT, 0, LATE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(!told || first == LAST + 1);
    MPI_Finalize();
    return 0;
}
