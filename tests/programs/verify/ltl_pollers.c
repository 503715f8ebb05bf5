/* Ranks that poll for ever, each as often as it likes: whose turn it is does not tell states apart. The last one is done
 * after it has polled twice. */
/* smpi: ranks 4 */
/* smpi: verify --ltl=F(done)&&G(done->G(done)) */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int done;
    int rank, size, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        MC_proposition("done", &done);
    for (int polls = 0;; polls += polls < 2) {
        done = polls == 2;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}
