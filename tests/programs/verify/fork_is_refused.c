/* A program that forks cannot be put back to an earlier state: refused, with the rank and the place. */
/* smpi: ranks 2 */
/* smpi: smpirun-args --verify */
/* smpi: requires smpi */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains fork */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (fork() == 0)
        _exit(0);
    MPI_Finalize();
    return 0;
}
