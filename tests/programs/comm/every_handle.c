/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Handles of every kind as integers and back (MPI 5.0 section 20.5): what comes back is the same handle, and different
 * handles have different numbers. */
#include "../file/file.h"

#ifndef TO
#define TO(name) MPI_##name##_toint
#define FROM(name) MPI_##name##_fromint
#endif

/* `first` and `second` are two different objects, or an object and a predefined one. */
#define CONVERT(name, type, null, first, second)                                                              \
    do {                                                                                                      \
        type left = (first), right = (second);                                                                \
        CHECK(left != right && left != (null));                                                               \
        CHECK(TO(name)(left) != TO(name)(right));                                                             \
        CHECK(TO(name)(left) != TO(name)(null));                                                              \
        CHECK(FROM(name)(TO(name)(left)) == left);                                                            \
        CHECK(FROM(name)(TO(name)(right)) == right);                                                          \
        CHECK(FROM(name)(TO(name)(null)) == (null));                                                          \
    } while (0)

static void nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void simple_kinds(void)
{
    MPI_Comm comm;
    MPI_Group group, none;
    MPI_Datatype pair, triple;
    MPI_Op op;
    MPI_Errhandler errhandler;
    MPI_Info info, other;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CONVERT(Comm, MPI_Comm, MPI_COMM_NULL, comm, MPI_COMM_WORLD);
    MPI_Comm_group(comm, &group);
    MPI_Group_excl(group, 1, &(int){0}, &none);
    CONVERT(Group, MPI_Group, MPI_GROUP_NULL, group, none);
    CONVERT(Group, MPI_Group, MPI_GROUP_NULL, MPI_GROUP_EMPTY, group);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_contiguous(3, MPI_INT, &triple);
    CONVERT(Type, MPI_Datatype, MPI_DATATYPE_NULL, pair, triple);
    CONVERT(Type, MPI_Datatype, MPI_DATATYPE_NULL, MPI_DOUBLE, MPI_INT);
    MPI_Op_create(nothing, 1, &op);
    CONVERT(Op, MPI_Op, MPI_OP_NULL, op, MPI_SUM);
    MPI_Comm_create_errhandler(handler, &errhandler);
    CONVERT(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL, errhandler, MPI_ERRORS_RETURN);
    MPI_Info_create(&info);
    MPI_Info_create(&other);
    CONVERT(Info, MPI_Info, MPI_INFO_NULL, info, other);
    MPI_Info_free(&info);
    MPI_Info_free(&other);
    MPI_Errhandler_free(&errhandler);
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MPI_Type_free(&triple);
    MPI_Group_free(&group);
    MPI_Group_free(&none);
    MPI_Comm_free(&comm);
}

static void operations(void)
{
    MPI_Request send, receive;
    MPI_Message message;
    int value = check_rank, found = -1;

    MPI_Send_init(&value, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD, &send);
    MPI_Recv_init(&found, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD, &receive);
    CONVERT(Request, MPI_Request, MPI_REQUEST_NULL, send, receive);
    MPI_Start(&send);
    MPI_Mprobe(1 - check_rank, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    CONVERT(Message, MPI_Message, MPI_MESSAGE_NULL, message, MPI_MESSAGE_NO_PROC);
    message = FROM(Message)(TO(Message)(message));
    MPI_Mrecv(&found, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK_INT(found, 1 - check_rank);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

static void large_kinds(void)
{
    const char *name = file_name("handles");
    MPI_Win one, two;
    MPI_File first, second;
    MPI_Session session, other;
    int cell;

    MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &one);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &two);
    CONVERT(Win, MPI_Win, MPI_WIN_NULL, one, two);
    MPI_Win_free(&one);
    MPI_Win_free(&two);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &first));
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &second));
    CONVERT(File, MPI_File, MPI_FILE_NULL, first, second);
    MPI_File_close(&second);
    MPI_File_close(&first);
    if (check_rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other));
    CONVERT(Session, MPI_Session, MPI_SESSION_NULL, session, other);
    MPI_Session_finalize(&session);
    MPI_Session_finalize(&other);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    simple_kinds();
    operations();
    large_kinds();
    return check_end();
}
