/* smpi: ranks 3 */
/* smpi: expect-pass */
/* A session beside MPI_Init, before it and after MPI_Finalize; error handlers and buffers of sessions; groups of both
 * (MPI 5.0 §11.3, §3.6, §9.3). */
#include "../check.h"

static MPI_Session seen;
static int calls;

static void note(MPI_Session *session, int *code, ...)
{
    int class;

    MPI_Error_class(*code, &class);
    seen = *session;
    calls += class == MPI_ERR_ARG || class == MPI_ERR_OTHER;
}

static MPI_Comm everybody(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;

    CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    CHECK_OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Group_free(&group));
    return comm;
}

static void handlers(void)
{
    MPI_Session session;
    MPI_Errhandler handler, found;
    MPI_Group group;

    CHECK_OK(MPI_Session_create_errhandler(note, &handler));
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, handler, &session));
    CHECK_OK(MPI_Session_get_errhandler(session, &found));
    CHECK(found == handler);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    CHECK(calls == 1 && seen == session);
    CHECK_OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    CHECK(MPI_Group_from_session_pset(session, "no://such set", &group) != MPI_SUCCESS);
    CHECK_INT(calls, 1);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Session_finalize(&session));
}

/* What a communicator of a session sends in buffered mode lies in the session's buffer, if it has none of its own. */
static void buffers(MPI_Session session)
{
    char buffer[MPI_BSEND_OVERHEAD + 64];
    void *place;
    int size, got = -1;
    MPI_Comm comm = everybody(session, "buffers"), copy;

    CHECK_OK(MPI_Comm_dup(comm, &copy));
    CHECK_OK(MPI_Session_attach_buffer(session, buffer, sizeof buffer));
    for (int i = 0; i < 2; i++) {
        MPI_Comm which = i == 0 ? comm : copy;
        CHECK_OK(MPI_Bsend(&check_rank, 1, MPI_INT, check_rank, 0, which));
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, check_rank, 0, which, MPI_STATUS_IGNORE));
        CHECK_INT(got, check_rank);
        CHECK_OK(MPI_Session_flush_buffer(session));
    }
    CHECK_OK(MPI_Session_detach_buffer(session, &place, &size));
    CHECK(place == buffer);
    CHECK_INT(size, sizeof buffer);
    CHECK_OK(MPI_Comm_free(&copy));
    CHECK_OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    MPI_Session before, within;
    MPI_Group mine, world, session_world;
    int relation;

    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &before));
    MPI_Comm early = everybody(before, "early");
    check_begin(&argc, &argv);
    handlers();
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &within));
    buffers(within);
    CHECK_OK(MPI_Group_from_session_pset(within, "mpi://WORLD", &session_world));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_compare(world, session_world, &relation));
    CHECK_INT(relation, MPI_IDENT);
    CHECK_OK(MPI_Comm_group(early, &mine));
    CHECK_OK(MPI_Group_compare(mine, world, &relation));
    CHECK_INT(relation, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&mine));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Group_free(&session_world));
    CHECK_OK(MPI_Session_finalize(&within));
    int outcome = check_end();
    /* MPI_Finalize is past. */
    int sum = 0;
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, early);
    if (sum != 3)
        printf("FAIL rank %d: a sum of %d after MPI_Finalize\n", check_rank, sum);
    MPI_Comm_free(&early);
    MPI_Session_finalize(&before);
    return outcome;
}
