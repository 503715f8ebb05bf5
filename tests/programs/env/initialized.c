/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Initialized and MPI_Finalized may be called at any time (MPI 5.0 section 11.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    int flag = 1, wrong = 0, code;

    MPI_Initialized(&flag);
    wrong += flag != 0;
    MPI_Finalized(&flag);
    wrong += flag != 0;
    check_begin(&argc, &argv);
    CHECK_INT(wrong, 0);
    MPI_Initialized(&flag);
    CHECK_INT(flag, 1);
    MPI_Finalized(&flag);
    CHECK_INT(flag, 0);
    code = check_end();
    MPI_Initialized(&flag);
    if (flag != 1)
        code = 1;
    MPI_Finalized(&flag);
    if (flag != 1)
        code = 1;
    return code;
}
