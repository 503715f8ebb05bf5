/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Dynamic windows (MPI 5.0 §12.2.6): displacements are addresses; memory comes and goes while the window exists; a
 * datatype of absolute addresses is a target at MPI_BOTTOM. */
#include "../check.h"

static MPI_Win win;

static MPI_Aint address_at_other(void *own)
{
    MPI_Aint mine, others;

    MPI_Get_address(own, &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, 1 - check_rank, 0, &others, 1, MPI_AINT, 1 - check_rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return others;
}

static void come_and_go(void)
{
    static int first[100];
    int *second = malloc(10 * sizeof(int)), value = 40 + check_rank, seen = 0;
    MPI_Aint there;

    MPI_Win_attach(win, first, sizeof first);
    MPI_Win_attach(win, second, 10 * sizeof(int));
    there = address_at_other(second);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 1 - check_rank, MPI_Aint_add(there, 4 * sizeof(int)), 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_INT(second[4], 41 - check_rank);
    there = address_at_other(&first[99]);
    first[99] = check_rank;
    MPI_Win_fence(0, win);
    MPI_Get(&seen, 1, MPI_INT, 1 - check_rank, there, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_INT(seen, 1 - check_rank);
    /* Memory that is attached cannot be attached again: it is the detaching that makes the second time right. */
    MPI_Win_detach(win, second);
    MPI_Win_attach(win, second, 10 * sizeof(int));
    MPI_Win_detach(win, second);
    free(second);
    second = malloc(1000 * sizeof(int));
    MPI_Win_attach(win, second, 1000 * sizeof(int));
    there = address_at_other(second);
    second[999] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - check_rank, 0, win);
    MPI_Accumulate(&value, 1, MPI_INT, 1 - check_rank, there + 999 * sizeof(int), 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(1 - check_rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win);
    CHECK_INT(second[999], 41 - check_rank);
    MPI_Win_unlock(check_rank, win);
    MPI_Win_detach(win, second);
    MPI_Win_detach(win, first);
    free(second);
}

static void absolute(void)
{
    int memory[10] = {0}, values[3] = {1, 2, 3}, lengths[2] = {1, 2};
    MPI_Aint places[2];
    MPI_Datatype datatype;

    MPI_Win_attach(win, memory, sizeof memory);
    places[0] = address_at_other(&memory[7]);
    places[1] = address_at_other(&memory[2]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &datatype);
    MPI_Type_commit(&datatype);
    MPI_Win_fence(0, win);
    MPI_Put(values, 3, MPI_INT, 1 - check_rank, (MPI_Aint)MPI_BOTTOM, 1, datatype, win);
    MPI_Win_fence(0, win);
    CHECK_INT(memory[7], 1);
    CHECK_INT(memory[2], 2);
    CHECK_INT(memory[3], 3);
    MPI_Type_free(&datatype);
    MPI_Win_detach(win, memory);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    come_and_go();
    absolute();
    MPI_Win_free(&win);
    return check_end();
}
