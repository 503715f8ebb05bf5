/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Control variables of any library: names and their lengths, enumerations, handles, values, and what is refused (MPI
 * 5.0 section 15.3.3, 15.3.5, 15.3.6). */
#include "../check.h"

static void check_texts(int index)
{
    char name[256], cut[4], description[2048];
    int room = sizeof(name), wanted, description_room = sizeof(description), found = -1;

    CHECK_OK(MPI_T_cvar_get_info(index, name, &room, NULL, NULL, NULL, description, &description_room, NULL, NULL));
    CHECK_INT(room, (int)strlen(name) + 1);
    CHECK(description_room >= 1);
    wanted = 0;
    CHECK_OK(MPI_T_cvar_get_info(index, name, &wanted, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_INT(wanted, room);
    wanted = 7;
    CHECK_OK(MPI_T_cvar_get_info(index, NULL, &wanted, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_INT(wanted, room);
    wanted = sizeof(cut);
    CHECK_OK(MPI_T_cvar_get_info(index, cut, &wanted, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(strlen(cut) == sizeof(cut) - 1 && strncmp(cut, name, sizeof(cut) - 1) == 0);
    CHECK_OK(MPI_T_cvar_get_index(name, &found));
    CHECK_INT(found, index);
}

static void check_enumeration(MPI_T_enum enumeration)
{
    int items = -1, i, value, room = 0;
    char name[256];

    CHECK_OK(MPI_T_enum_get_info(enumeration, &items, NULL, &room));
    CHECK(items > 0 && room > 1);
    for (i = 0; i < items; i++) {
        room = sizeof(name);
        CHECK_OK(MPI_T_enum_get_item(enumeration, i, &value, name, &room));
        CHECK_INT(room, (int)strlen(name) + 1);
    }
    CHECK_INT(MPI_T_enum_get_item(enumeration, items, &value, NULL, NULL), MPI_T_ERR_INVALID_ITEM);
}

int main(int argc, char **argv)
{
    MPI_T_cvar_handle handle;
    int provided, number, i, verbosity, bind, scope, count, writable = 0;
    MPI_Datatype datatype;
    MPI_T_enum enumeration;
    char value[65536], before[65536];

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_cvar_get_num(&number));
    CHECK(number > 0);
    for (i = 0; i < number; i++) {
        MPI_Comm comm = MPI_COMM_WORLD;
        int code;

        check_texts(i);
        enumeration = (MPI_T_enum)0x31415926;
        CHECK_OK(MPI_T_cvar_get_info(i, NULL, NULL, &verbosity, &datatype, &enumeration, NULL, NULL, &bind, &scope));
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
        if (enumeration != MPI_T_ENUM_NULL) {
            CHECK(datatype == MPI_INT);
            check_enumeration(enumeration);
        }
        if (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM)
            continue;
        CHECK_OK(MPI_T_cvar_handle_alloc(i, bind == MPI_T_BIND_MPI_COMM ? &comm : NULL, &handle, &count));
        CHECK(count >= 1 && handle != MPI_T_CVAR_HANDLE_NULL);
        if (count <= (int)sizeof(value) / 8) {
            CHECK_OK(MPI_T_cvar_read(handle, before));
            code = MPI_T_cvar_write(handle, before);
            if (scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY)
                CHECK(code == MPI_T_ERR_CVAR_SET_NEVER || code == MPI_T_ERR_CVAR_SET_NOT_NOW);
            else
                CHECK(code == MPI_SUCCESS || code == MPI_T_ERR_CVAR_SET_NOT_NOW);
            writable += code == MPI_SUCCESS;
        }
        CHECK_OK(MPI_T_cvar_handle_free(&handle));
        CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    }
    CHECK(writable > 0);
    CHECK_INT(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
              MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_cvar_handle_alloc(number, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_cvar_get_index("no variable has this name", &i), MPI_T_ERR_INVALID_NAME);
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
