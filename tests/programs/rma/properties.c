/* smpi: ranks 3 */
/* smpi: expect-pass */
/* What is known of windows: predefined attributes by flavor (MPI 5.0 §12.2.6), groups, names, hints, error
 * handlers, and attributes of the program, which are deleted when the window is freed. */
#include "../check.h"

static int deleted, handled;

static int delete_it(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key;
    deleted += *(int *)value + *(int *)extra;
    return MPI_SUCCESS;
}

static void handle(MPI_Win *win, int *code, ...)
{
    int class;

    (void)win;
    MPI_Error_class(*code, &class);
    handled += class == MPI_ERR_RANK || class == MPI_ERR_OTHER;
}

static void flavor(MPI_Win win, int expected, void *base, MPI_Aint size, int unit)
{
    void *value;
    int flag;

    MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
    CHECK(flag && value == base);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
    CHECK(flag && *(MPI_Aint *)value == size);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag);
    CHECK(flag && *(int *)value == unit);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
    CHECK(flag && *(int *)value == expected);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
    CHECK(flag && (*(int *)value == MPI_WIN_UNIFIED || *(int *)value == MPI_WIN_SEPARATE));
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
}

static void flavors(void)
{
    char memory[40], *base;
    MPI_Win win;

    MPI_Win_create(memory, 40, 1 + check_rank, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    flavor(win, MPI_WIN_FLAVOR_CREATE, memory, 40, 1 + check_rank);
    MPI_Win_allocate(80, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    flavor(win, MPI_WIN_FLAVOR_ALLOCATE, base, 80, 2);
    MPI_Win_allocate_shared(24, 4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
    flavor(win, MPI_WIN_FLAVOR_SHARED, base, 24, 4);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    flavor(win, MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1);
}

static void names_and_hints(MPI_Win win)
{
    char text[MPI_MAX_OBJECT_NAME] = "x", value[16];
    int length, flag, result;
    MPI_Info info;
    MPI_Group members, world;

    MPI_Win_get_name(win, text, &length);
    CHECK_INT(length, 0);
    MPI_Win_set_name(win, "my window");
    MPI_Win_get_name(win, text, &length);
    CHECK(strcmp(text, "my window") == 0 && length == 9);
    MPI_Win_get_info(win, &info);
    length = sizeof value;
    MPI_Info_get_string(info, "no_locks", &length, value, &flag);
    CHECK(flag && strcmp(value, "true") == 0);
    MPI_Info_free(&info);
    MPI_Win_get_group(win, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(members, world, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Group_free(&members);
    MPI_Group_free(&world);
}

static void handlers(MPI_Win win)
{
    MPI_Errhandler ours, found;

    MPI_Win_get_errhandler(win, &found);
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&found);
    MPI_Win_create_errhandler(handle, &ours);
    MPI_Win_set_errhandler(win, ours);
    MPI_Errhandler_free(&ours);
    MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, win);
    CHECK_INT(handled, 1);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    CHECK_INT(handled, 2);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, win), MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
    int key, other_key, flag, extra = 1000, values[2] = {1, 20}, memory[2];
    void *value;
    MPI_Win win;
    MPI_Info info;

    check_begin(&argc, &argv);
    flavors();
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "nobody_knows_this", "true");
    MPI_Win_create(memory, sizeof memory, 4, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    names_and_hints(win);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_it, &key, &extra);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other_key, NULL);
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK(!flag);
    MPI_Win_set_attr(win, key, &values[0]);
    MPI_Win_set_attr(win, other_key, &values[0]);
    MPI_Win_set_attr(win, key, &values[1]);
    CHECK_INT(deleted, 1001);
    MPI_Win_get_attr(win, key, &value, &flag);
    CHECK(flag && value == &values[1]);
    MPI_Win_delete_attr(win, other_key);
    MPI_Win_get_attr(win, other_key, &value, &flag);
    CHECK(!flag);
    handlers(win);
    MPI_Win_free_keyval(&key);
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    MPI_Win_free_keyval(&other_key);
    MPI_Win_free(&win);
    CHECK_INT(deleted, 1001 + 1020);
    return check_end();
}
