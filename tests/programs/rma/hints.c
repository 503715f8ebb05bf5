/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Hints of a window: what MPI_Win_set_info sets is what MPI_Win_get_info shows, until it is set again, and hints that
 * are unknown need not be kept (MPI 5.0 section 12.2.7). */
#include "../check.h"

static void expect(MPI_Win win, const char *key, const char *value)
{
    MPI_Info info;
    char found[64] = "";
    int length = sizeof found, flag = 0;

    CHECK_OK(MPI_Win_get_info(win, &info));
    CHECK_OK(MPI_Info_get_string(info, key, &length, found, &flag));
    CHECK(flag && strcmp(found, value) == 0);
    CHECK_OK(MPI_Info_free(&info));
}

static void set(MPI_Win win, const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    CHECK_OK(MPI_Win_set_info(win, info));
    MPI_Info_free(&info);
    expect(win, key, value);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int *memory;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    expect(win, "no_locks", "false");
    set(win, "accumulate_ordering", "rar,raw");
    set(win, "accumulate_ordering", "none");
    set(win, "accumulate_ops", "same_op");
    expect(win, "accumulate_ordering", "none");
    CHECK_OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
    return check_end();
}
