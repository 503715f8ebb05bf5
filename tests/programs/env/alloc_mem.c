/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Alloc_mem gives memory that can be written and sent, MPI_Free_mem takes it back (MPI 5.0 section 9.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    int *memory = NULL, wrong = 0;

    check_begin(&argc, &argv);
    for (int round = 0; round < 10; round++) {
        MPI_Alloc_mem(100000 * sizeof(int), MPI_INFO_NULL, &memory);
        CHECK(memory != NULL);
        for (int i = 0; i < 100000; i++)
            memory[i] = check_rank + i;
        MPI_Bcast(memory, 100000, MPI_INT, round % 2, MPI_COMM_WORLD);
        for (int i = 0; i < 100000; i++)
            wrong += memory[i] != round % 2 + i;
        MPI_Free_mem(memory);
    }
    CHECK_INT(wrong, 0);
    return check_end();
}
