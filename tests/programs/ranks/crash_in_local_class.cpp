// smpi: ranks 2
// smpi: requires smpi
// smpi: compile-args -O0 -g
// smpi: expect-exit 139
// smpi: expect-stderr-contains in d (
// A function's name that is a type's mangled name as well is shown as it is.
#include <mpi.h>

static int *volatile nothing;

int main(int argc, char **argv)
{
    struct Local {
        static void d() { *nothing = 1; }
    };
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        Local::d();
    MPI_Finalize();
    return 0;
}
