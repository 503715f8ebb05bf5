/* smpi: ranks 3 */
/* smpi: compile-args -Wl,--no-as-needed -lm */
/* smpi: shuffled */
/* smpi: expect-pass */
/* What a process has once, each rank has for itself, also while others run: every row of the table. */
#include "parts/process_state.h"
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int row = 0; row < COUNT; row++) {
        TABLE[row].put(check_rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!TABLE[row].is_there(check_rank))
            check_fail(__FILE__, __LINE__, TABLE[row].name);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return check_end();
}
