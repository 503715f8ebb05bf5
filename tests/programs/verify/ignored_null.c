/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains MC_ignore: parameter 1 (memory): null; expected the address of a variable of this rank */
/* What is declared not to matter must be somewhere. */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MC_ignore(0, 4);
    MPI_Finalize();
    return 0;
}
