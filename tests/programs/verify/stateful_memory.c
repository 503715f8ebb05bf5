/* A counter that grows for ever, and a megabyte beside it: an exploration without an end, which ends when it has used the
 * memory that it may use. */
/* smpi: ranks 2 */
/* smpi: verify --stateful --buffering infinite --memory 96MiB */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: requires smpi */
#include <mpi.h>
#include <smpi/smpi.h>
#include <string.h>

static struct {
    unsigned count;
    char bytes[1 << 20];
} data;

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (; rank == 0; data.count++)
        memset(data.bytes, 1 + MC_random(0, 1), sizeof data.bytes);
    MPI_Finalize();
}
