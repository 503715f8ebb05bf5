/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A call that is refused has no effect. A null pointer for what a function hands out is MPI_ERR_ARG, and no message is
   sent, nobody takes part in a collective operation, no object is made that nobody could free, no request is taken
   or started. */
#include "../check.h"

static void own(void *in, void *inout, int *length, MPI_Datatype *type) { (void)in, (void)inout, (void)length, (void)type; }

static void handler(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

static int query(void *state, MPI_Status *status) { return (void)state, (void)status, MPI_SUCCESS; }

static int release(void *state) { return (void)state, MPI_SUCCESS; }

static int cancel(void *state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

/* Messages: the other rank receives only what was sent in the end. */
static void messages(void)
{
    int bad = 1, good = 2, got = 0, peer = 1 - check_rank;
    static char buffer[1000];
    MPI_Buffer_attach(buffer, sizeof buffer);
    CHECK_ERROR(MPI_Isend(&bad, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Issend(&bad, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Ibsend(&bad, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Irecv(&got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Isendrecv(&bad, 1, MPI_INT, peer, 0, &got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Isend_c(&bad, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Send_init(&bad, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Recv_init(&got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Psend_init(&bad, 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Precv_init(&got, 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    if (check_rank == 0) {
        CHECK_OK(MPI_Send(&good, 1, MPI_INT, peer, 0, MPI_COMM_WORLD));
    } else {
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(got, good);
    }
    int size;
    void *detached;
    MPI_Buffer_detach(&detached, &size);
}

/* Collective operations: only one rank calls them, so a call that took effect would meet the next one. */
static void collectives(void)
{
    int value = 1, sum = 0;
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Request request;
    if (check_rank == 0) {
        CHECK_ERROR(MPI_Ibarrier(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Comm_idup(MPI_COMM_WORLD, NULL, &request), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Comm_idup(MPI_COMM_WORLD, &none, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_Win_create(&value, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
        CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, "refused.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, NULL),
                    MPI_ERR_ARG);
    }
    CHECK_OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, 2);
}

/* Objects: the directive of the test beside this one says that nothing is left. */
static void objects(void)
{
    int zero = 0, one = 1, range[1][3] = {{0, 0, 1}};
    MPI_Aint place = 0;
    MPI_Datatype type = MPI_INT;
    MPI_Group group;
    MPI_Info info;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Info_create(&info);
    CHECK_ERROR(MPI_Comm_group(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_union(group, group, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_intersection(group, group, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_difference(group, group, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_incl(group, 1, &zero, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_excl(group, 1, &zero, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_range_incl(group, 1, range, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_range_excl(group, 1, range, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_contiguous(2, MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_create_struct(1, &one, &place, &type, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_dup(MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Info_create(NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Info_dup(info, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_get_info(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Op_create(own, 1, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_create_errhandler(handler, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_get_errhandler(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, NULL, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Grequest_start(query, release, cancel, NULL, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Open_port(MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Alloc_mem(100, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    MPI_Group_free(&group);
    MPI_Info_free(&info);
}

/* Requests: what could not be told is not taken, and none of several is started if one cannot be. */
static void requests(void)
{
    int value = 5, got = 0, count = 0, index = 0, flag = 0;
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, one;
    MPI_Irecv(&got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &one);
    MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    CHECK_ERROR(MPI_Test(&one, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Testany(1, &one, NULL, &flag, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Testany(1, &one, &index, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Waitany(1, &one, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Waitsome(1, &one, NULL, &index, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Waitsome(1, &one, &count, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Testsome(1, &one, &count, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK(one != MPI_REQUEST_NULL);
    CHECK_OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    CHECK_INT(got, value);
    MPI_Send_init(&value, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &both[0]);
    CHECK_ERROR(MPI_Startall(2, both), MPI_ERR_REQUEST);
    MPI_Iprobe(0, 4, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Request_free(&both[0]));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    messages();
    collectives();
    objects();
    requests();
    return check_end();
}
