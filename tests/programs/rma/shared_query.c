/* smpi: ranks 4 */
/* smpi: platform none */
/* smpi: expect-pass */
/* MPI_Win_shared_query (MPI 5.0 §12.2.4): sizes and units of all ranks, null for a rank without memory, the first one
 * with memory for MPI_PROC_NULL. Windows of other flavors answer for memory that the rank reaches, dynamic ones not.
 * MPICH 4.0.2 deviates: it answers as MPI 3.1, which has windows of MPI_Win_allocate_shared only. */
#include "../check.h"

#define BYTES(rank) ((rank) % 2 == 1 ? 16 * (rank) : 0)

static void shared(const char *apart)
{
    MPI_Info info;
    MPI_Win win;
    MPI_Aint size;
    int unit, flag, *base, *other;
    void *attribute;

    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", apart);
    MPI_Win_allocate_shared(BYTES(check_rank), 1 + check_rank, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    CHECK((base == NULL) == (check_rank % 2 == 0));
    MPI_Win_get_attr(win, MPI_WIN_BASE, &attribute, &flag);
    CHECK(flag && attribute == base);
    if (base)
        for (int i = 0; i < BYTES(check_rank) / 4; i++)
            base[i] = 100 * check_rank + i;
    MPI_Win_fence(0, win);
    for (int rank = 0; rank < check_size; rank++) {
        CHECK_OK(MPI_Win_shared_query(win, rank, &size, &unit, &other));
        CHECK_INT(size, BYTES(rank));
        CHECK_INT(unit, 1 + rank);
        CHECK((other == NULL) == (rank % 2 == 0));
        for (int i = 0; other && i < BYTES(rank) / 4; i++)
            CHECK_INT(other[i], 100 * rank + i);
    }
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &other));
    CHECK_INT(size, 16);
    CHECK_INT(unit, 2);
    CHECK_INT(other[3], 103);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

static void nobody_has_memory(void)
{
    MPI_Win win;
    MPI_Aint size = -1;
    int unit, *base;

    MPI_Win_allocate_shared(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base));
    CHECK_INT(size, 0);
    MPI_Win_free(&win);
}

static void others(void)
{
    MPI_Win win;
    MPI_Aint size;
    int unit, *base, *found, memory[4];

    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CHECK_OK(MPI_Win_shared_query(win, check_rank, &size, &unit, &found));
    CHECK_INT(size, sizeof memory);
    CHECK_INT(unit, 4);
    CHECK(found == memory);
    CHECK_OK(MPI_Win_shared_query(win, (check_rank + 1) % check_size, &size, &unit, &found));
    CHECK_INT(size, 0);
    CHECK(found == NULL);
    MPI_Win_free(&win);
    MPI_Win_allocate(40, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK_OK(MPI_Win_shared_query(win, check_rank, &size, &unit, &found));
    CHECK_INT(size, 40);
    CHECK_INT(unit, 8);
    CHECK(found == base);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPI_Win_shared_query(win, check_rank, &size, &unit, &found), MPI_ERR_RMA_FLAVOR);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    shared("false");
    shared("true");
    nobody_has_memory();
    others();
    return check_end();
}
