/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Memory that MPI_Free_mem gives back can be had again: much more than there is, one piece after the other (MPI 5.0
 * section 9.2). Little of it is written to. */
#include "../check.h"

enum { ROUNDS = 2000 };

int main(int argc, char **argv)
{
    MPI_Aint size = (MPI_Aint)1 << 31;

    check_begin(&argc, &argv);
    check_errors_return();
    for (int round = 0; round < ROUNDS; round++) {
        char *memory = NULL;
        int code = MPI_Alloc_mem(size, MPI_INFO_NULL, &memory);

        CHECK_OK(code);
        if (code != MPI_SUCCESS)
            break;
        memory[0] = memory[size - 1] = 1;
        CHECK_OK(MPI_Free_mem(memory));
    }
    return check_end();
}
