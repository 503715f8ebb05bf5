/* A program that starts another one cannot be put back to an earlier state: refused, with the rank and the place. */
/* smpi: ranks 2 */
/* smpi: smpirun-args --verify */
/* smpi: requires smpi */
/* smpi: compile-args -g */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains rank 0: system() */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    system("true");
    MPI_Finalize();
    return 0;
}
