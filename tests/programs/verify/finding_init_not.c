/* What may be called before MPI_Init and after MPI_Finalize. */
/* smpi: passes mpi/before-init mpi/after-finalize */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

int main(int argc, char **argv) {
    int flag, version, subversion;
    MPI_Initialized(&flag);
    MPI_Get_version(&version, &subversion);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Finalized(&flag);
    return flag ? 0 : 1;
}
