/* States of a program in which ranks poll, and one of them also draws a number, which is no poll: whose turn it is to
 * poll afterwards does not depend on how often the other has polled in vain before. */
/* smpi: ranks 2 */
/* smpi: verify --stateful --reduction none --compare-states 3 */
/* smpi: expect-complete */
/* smpi: requires smpi */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0, done;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        MPI_Request request;
        if (rank == 0)
            MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        for (done = 0; !done;) {
            if (rank == 1)
                MC_random(0, 1);
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
    }
}
