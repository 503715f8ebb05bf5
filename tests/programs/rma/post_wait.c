/* smpi: ranks 3 */
/* smpi: expect-pass */
/* A target waits for all origins of its exposure epoch, and then has what they put; the next epoch may have other origins
 * (MPI 5.0 section 12.5.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    int *memory, value, others[2] = {1, 2};
    MPI_Group all, origins, target;
    MPI_Win win;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){0}, &target);
    for (int count = 2; count >= 1; count--) {
        MPI_Group_incl(all, count, others, &origins);
        value = 100 * count + check_rank;
        if (check_rank == 0) {
            memory[1] = memory[2] = -1;
            CHECK_OK(MPI_Win_post(origins, 0, win));
            CHECK_OK(MPI_Win_wait(win));
            CHECK_INT(memory[1], 100 * count + 1);
            CHECK_INT(memory[2], count == 2 ? 202 : -1);
        } else if (check_rank <= count) {
            CHECK_OK(MPI_Win_start(target, 0, win));
            CHECK_OK(MPI_Put(&value, 1, MPI_INT, 0, check_rank, 1, MPI_INT, win));
            CHECK_OK(MPI_Win_complete(win));
        }
        MPI_Group_free(&origins);
    }
    MPI_Group_free(&target);
    MPI_Group_free(&all);
    CHECK_OK(MPI_Win_free(&win));
    return check_end();
}
