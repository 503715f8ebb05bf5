/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: std c99 */
/* smpi: expect-pass */
/* smpi: verified crash */
/* Memory and results that ranks share: the ranges said are the same bytes on all ranks, the rest is not. */
#include "../check.h"
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 20, PAGE = 4096 };

static int calls;

static void *table(int n)
{
    int *result = malloc(sizeof *result);
    calls++;
    *result = n;
    return result;
}

int main(int argc, char **argv)
{
    size_t ranges[] = {PAGE, 2 * PAGE, 10 * PAGE + 1, 13 * PAGE - 1};
    int *result, all;
    char *block;

    check_begin(&argc, &argv);

    block = SMPI_SHARED_MALLOC(SIZE);
    CHECK(block != NULL);
    if (check_rank == 0)
        memset(block, 7, SIZE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(block[0] == 7 && block[SIZE - 1] == 7);
    MPI_Barrier(MPI_COMM_WORLD);
    SMPI_SHARED_FREE(block);

    block = SMPI_PARTIAL_SHARED_MALLOC(SIZE, ranges, 2);
    CHECK(block != NULL);
    if (check_rank == 1)
        memset(block, 9, SIZE);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(block[PAGE] == 9 && block[2 * PAGE - 1] == 9 && block[11 * PAGE] == 9 && block[12 * PAGE - 1] == 9);
    CHECK_INT(block[0], check_rank == 1 ? 9 : 0);
    CHECK_INT(block[2 * PAGE], check_rank == 1 ? 9 : 0);
    CHECK_INT(block[10 * PAGE + 1], check_rank == 1 ? 9 : 0);
    CHECK_INT(block[12 * PAGE], check_rank == 1 ? 9 : 0);
    SMPI_SHARED_FREE(block);

    SMPI_SHARED_FREE(malloc(100));
    SMPI_SHARED_FREE(NULL);

    result = SMPI_SHARED_CALL(table, "n=5", 5);
    CHECK_INT(*result, 5);
    result = SMPI_SHARED_CALL(table, "n=6", 6);
    CHECK_INT(*result, 6);
    MPI_Allreduce(&calls, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(all, 2);

    smpi_process_set_user_data(&all);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(smpi_process_get_user_data() == &all);
    return check_end();
}
