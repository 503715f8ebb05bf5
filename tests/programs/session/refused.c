/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* What sessions refuse. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Session session, other;
    MPI_Info info;
    MPI_Group group;
    MPI_Comm comm;
    int n, room = 0;
    char name[8];

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_SOMETIMES");
    CHECK_ERROR(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_ERR_INFO_VALUE);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    CHECK_OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    MPI_Info_free(&info);
    CHECK_ERROR(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 9, &room, name), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &room, name), MPI_ERR_ARG);
    /* A name that does not fit is cut, and the room that it needs is told. */
    room = 4;
    CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &room, name));
    CHECK(strcmp(name, "mpi") == 0);
    CHECK_INT(room, sizeof "mpi://WORLD");
    room = 3;
    CHECK_ERROR(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &room, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Session_get_pset_info(session, "mpi://NOWHERE", &info), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group), MPI_ERR_ARG);
    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    CHECK_ERROR(MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
    CHECK_OK(MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&group));
    other = session;
    CHECK_OK(MPI_Session_finalize(&session));
    CHECK_ERROR(MPI_Session_get_num_psets(other, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    CHECK_ERROR(MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    CHECK_ERROR(MPI_Session_finalize(&session), MPI_ERR_SESSION);
    return check_end();
}
