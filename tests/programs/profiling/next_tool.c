/* smpi: ranks 3 */
/* smpi: library parts/next.c */
/* smpi: expect-pass */
/* A tool that looks for the function that follows its own (dlsym with RTLD_NEXT) instead of calling PMPI. */
#include "../check.h"

int seen_barriers(void);

int main(int argc, char **argv)
{
    int before;

    check_begin(&argc, &argv);
    before = seen_barriers();
    for (int i = 0; i <= check_rank; i++)
        MPI_Barrier(MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_WORLD);
    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(seen_barriers() - before, check_rank + 2);
    return check_end();
}
