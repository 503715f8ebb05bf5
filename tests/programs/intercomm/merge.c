/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_Intercomm_merge joins both sides; the side that says low comes first (MPI 5.0 section 7.6.2). */
#include "intercomm.h"

static void test(void)
{
    for (int low_first = 0; low_first < 2; low_first++) {
        MPI_Comm all;
        int rank, size, flag, sum;
        MPI_Intercomm_merge(inter, is_low ? !low_first : low_first, &all);
        MPI_Comm_rank(all, &rank);
        MPI_Comm_size(all, &size);
        MPI_Comm_test_inter(all, &flag);
        CHECK_INT(flag, 0);
        CHECK_INT(size, check_size);
        CHECK_INT(rank, local_rank + (is_low == low_first ? 0 : remote_size));
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, all);
        CHECK_INT(sum, check_size * (check_size - 1) / 2);
        MPI_Comm_free(&all);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
