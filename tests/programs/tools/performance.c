/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Performance variables of any library: texts, classes, sessions, handles, and what is refused (MPI 5.0 section
 * 15.3.7). */
#include "../check.h"

static void check_one(MPI_T_pvar_session session, int index)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    char name[256], value[65536];
    int room = sizeof(name), wanted = 0, class, bind, readonly, continuous, atomic, found, count, code;
    MPI_Comm comm = MPI_COMM_WORLD;

    CHECK_OK(MPI_T_pvar_get_info(index, name, &room, NULL, &class, NULL, NULL, NULL, &wanted, &bind, &readonly,
                                 &continuous, &atomic));
    CHECK_INT(room, (int)strlen(name) + 1);
    CHECK(wanted >= 1 && class >= MPI_T_PVAR_CLASS_STATE && class <= MPI_T_PVAR_CLASS_GENERIC);
    CHECK_OK(MPI_T_pvar_get_index(name, class, &found));
    CHECK_INT(found, index);
    if (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM)
        return;
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, bind == MPI_T_BIND_MPI_COMM ? &comm : NULL, &handle, &count));
    CHECK(count >= 1 && handle != MPI_T_PVAR_HANDLE_NULL);
    if (count <= (int)sizeof(value) / 8) {
        code = MPI_T_pvar_start(session, handle);
        CHECK_INT(code, continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS);
        CHECK_OK(MPI_T_pvar_read(session, handle, value));
        code = MPI_T_pvar_reset(session, handle);
        CHECK_INT(code, readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS);
        code = MPI_T_pvar_stop(session, handle);
        CHECK_INT(code, continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS);
    }
    CHECK_OK(MPI_T_pvar_handle_free(session, &handle));
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle;
    int provided, number, i, count;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK(session != MPI_T_PVAR_SESSION_NULL);
    CHECK_OK(MPI_T_pvar_get_num(&number));
    for (i = 0; i < number; i++)
        check_one(session, i);
    CHECK_INT(MPI_T_pvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
              MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_pvar_handle_alloc(session, -1, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_pvar_get_index("no variable has this name", MPI_T_PVAR_CLASS_COUNTER, &i), MPI_T_ERR_INVALID_NAME);
    CHECK_OK(MPI_T_pvar_session_free(&session));
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
