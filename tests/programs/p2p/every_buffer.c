/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Buffers of the process, of a communicator and of a session, attached and detached with int and with MPI_Count sizes,
 * flushed both ways (MPI 5.0 section 3.6). Each has room for one message: a second one does not fit before the first is
 * out, which flushing waits for. */
#include "../check.h"

enum { COUNT = 100000, GO = 1, DATA = 2 };

static int data[COUNT];
static char *space;
static int capacity;

/* Whose buffer it is. */
struct owner {
    enum { PROCESS, COMMUNICATOR, SESSION } kind;
    MPI_Comm comm;
    MPI_Session session;
};

static void attach(const struct owner *owner, int large)
{
    if (owner->kind == PROCESS)
        CHECK_OK(large ? MPI_Buffer_attach_c(space, capacity) : MPI_Buffer_attach(space, capacity));
    else if (owner->kind == COMMUNICATOR)
        CHECK_OK(large ? MPI_Comm_attach_buffer_c(owner->comm, space, capacity)
                       : MPI_Comm_attach_buffer(owner->comm, space, capacity));
    else
        CHECK_OK(large ? MPI_Session_attach_buffer_c(owner->session, space, capacity)
                       : MPI_Session_attach_buffer(owner->session, space, capacity));
}

static void detach(const struct owner *owner, int large)
{
    void *place = NULL;
    int size = -1;
    MPI_Count large_size = -1;

    if (owner->kind == PROCESS)
        CHECK_OK(large ? MPI_Buffer_detach_c(&place, &large_size) : MPI_Buffer_detach(&place, &size));
    else if (owner->kind == COMMUNICATOR)
        CHECK_OK(large ? MPI_Comm_detach_buffer_c(owner->comm, &place, &large_size)
                       : MPI_Comm_detach_buffer(owner->comm, &place, &size));
    else
        CHECK_OK(large ? MPI_Session_detach_buffer_c(owner->session, &place, &large_size)
                       : MPI_Session_detach_buffer(owner->session, &place, &size));
    CHECK(place == space);
    CHECK_INT(large ? large_size : size, capacity);
}

static void flush(const struct owner *owner, int at_once)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (owner->kind == PROCESS)
        CHECK_OK(at_once ? MPI_Buffer_iflush(&request) : MPI_Buffer_flush());
    else if (owner->kind == COMMUNICATOR)
        CHECK_OK(at_once ? MPI_Comm_iflush_buffer(owner->comm, &request) : MPI_Comm_flush_buffer(owner->comm));
    else
        CHECK_OK(at_once ? MPI_Session_iflush_buffer(owner->session, &request)
                         : MPI_Session_flush_buffer(owner->session));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void send(const struct owner *owner, int large, int at_once)
{
    attach(owner, large);
    data[0] = data[COUNT - 1] = 1;
    CHECK_OK(MPI_Bsend(data, COUNT, MPI_INT, 1, DATA, owner->comm));
    CHECK_ERROR(MPI_Bsend(data, COUNT, MPI_INT, 1, DATA, owner->comm), MPI_ERR_BUFFER);
    MPI_Send(NULL, 0, MPI_INT, 1, GO, owner->comm);
    flush(owner, at_once);
    data[0] = data[COUNT - 1] = 2;
    CHECK_OK(MPI_Bsend(data, COUNT, MPI_INT, 1, DATA, owner->comm));
    detach(owner, large);
    CHECK_ERROR(MPI_Bsend(data, COUNT, MPI_INT, 1, DATA, owner->comm), MPI_ERR_BUFFER);
}

static void receive(const struct owner *owner)
{
    MPI_Recv(NULL, 0, MPI_INT, 0, GO, owner->comm, MPI_STATUS_IGNORE);
    for (int round = 1; round <= 2; round++) {
        data[0] = data[COUNT - 1] = -1;
        MPI_Recv(data, COUNT, MPI_INT, 0, DATA, owner->comm, MPI_STATUS_IGNORE);
        CHECK(data[0] == round && data[COUNT - 1] == round);
    }
}

static void all_ways(struct owner owner)
{
    MPI_Comm_set_errhandler(owner.comm, MPI_ERRORS_RETURN);
    for (int large = 0; large < 2; large++)
        for (int at_once = 0; at_once < 2; at_once++) {
            if (check_rank == 0)
                send(&owner, large, at_once);
            else
                receive(&owner);
            MPI_Barrier(owner.comm);
        }
}

int main(int argc, char **argv)
{
    struct owner process = {PROCESS, MPI_COMM_WORLD, MPI_SESSION_NULL}, communicator = process, session = process;
    MPI_Group group;
    int packed;

    check_begin(&argc, &argv);
    MPI_Pack_size(COUNT, MPI_INT, MPI_COMM_WORLD, &packed);
    capacity = packed + MPI_BSEND_OVERHEAD;
    space = malloc((size_t)capacity);
    all_ways(process);
    communicator.kind = COMMUNICATOR;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator.comm);
    all_ways(communicator);
    session.kind = SESSION;
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session.session));
    CHECK_OK(MPI_Group_from_session_pset(session.session, "mpi://WORLD", &group));
    CHECK_OK(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &session.comm));
    MPI_Group_free(&group);
    all_ways(session);
    MPI_Comm_free(&communicator.comm);
    MPI_Comm_free(&session.comm);
    CHECK_OK(MPI_Session_finalize(&session.session));
    free(space);
    return check_end();
}
