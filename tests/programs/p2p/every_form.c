/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified mpi/invalid/buffer */
/* Each way to send meets each way to receive, with int and with MPI_Count arguments (MPI 5.0 sections 3.4 to 3.11).
 * What arrives is compared; the mode of a send shows in what it may do before the receive is there. */
#include "../check.h"

enum { ELEMENTS = 5, TAG = 3 };

static int data[ELEMENTS];
static MPI_Comm comm;

/* The request of a persistent operation is started, completed, and freed. */
static void start_and_wait(MPI_Request *request, MPI_Status *status)
{
    CHECK_OK(MPI_Start(request));
    CHECK_OK(MPI_Wait(request, status));
    CHECK_OK(MPI_Request_free(request));
}

#define SEND(name, suffix)                                                                                     \
    static void name##suffix(void) { CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, 1, TAG, comm)); }
#define SEND_AND_WAIT(name, suffix)                                                                            \
    static void name##suffix(void)                                                                             \
    {                                                                                                          \
        MPI_Request request;                                                                                   \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, 1, TAG, comm, &request));                         \
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                       \
    }
#define SEND_AGAIN(name, suffix)                                                                               \
    static void name##suffix(void)                                                                             \
    {                                                                                                          \
        MPI_Request request;                                                                                   \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, 1, TAG, comm, &request));                         \
        start_and_wait(&request, MPI_STATUS_IGNORE);                                                           \
    }
#define ALL_SENDS(MODE)                                                                                        \
    MODE(SEND, Send) MODE(SEND, Bsend) MODE(SEND, Ssend) MODE(SEND, Rsend) MODE(SEND_AND_WAIT, Isend)          \
    MODE(SEND_AND_WAIT, Ibsend) MODE(SEND_AND_WAIT, Issend) MODE(SEND_AND_WAIT, Irsend)                        \
    MODE(SEND_AGAIN, Send_init) MODE(SEND_AGAIN, Bsend_init) MODE(SEND_AGAIN, Ssend_init)                      \
    MODE(SEND_AGAIN, Rsend_init)
#define DEFINE_BOTH(how, name) how(name, ) how(name, _c)
#define LIST_BOTH(how, name) {#name, name}, {#name "_c", name##_c},

ALL_SENDS(DEFINE_BOTH)

static const struct {
    const char *name;
    void (*send)(void);
} sends[] = {ALL_SENDS(LIST_BOTH)};

#define RECEIVE(name, suffix)                                                                                  \
    static void name##suffix(MPI_Status *status)                                                               \
    {                                                                                                          \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, 0, TAG, comm, status));                           \
    }
#define RECEIVE_AND_WAIT(name, suffix)                                                                         \
    static void name##suffix(MPI_Status *status)                                                               \
    {                                                                                                          \
        MPI_Request request;                                                                                   \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, 0, TAG, comm, &request));                         \
        CHECK_OK(MPI_Wait(&request, status));                                                                  \
    }
#define RECEIVE_AGAIN(name, suffix)                                                                            \
    static void name##suffix(MPI_Status *status)                                                               \
    {                                                                                                          \
        MPI_Request request;                                                                                   \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, 0, TAG, comm, &request));                         \
        start_and_wait(&request, status);                                                                      \
    }
#define RECEIVE_MATCHED(name, suffix)                                                                          \
    static void name##suffix(MPI_Status *status)                                                               \
    {                                                                                                          \
        MPI_Message message;                                                                                   \
        CHECK_OK(MPI_Mprobe(0, TAG, comm, &message, status));                                                  \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, &message, status));                               \
        CHECK(message == MPI_MESSAGE_NULL);                                                                    \
    }
#define RECEIVE_MATCHED_AND_WAIT(name, suffix)                                                                 \
    static void name##suffix(MPI_Status *status)                                                               \
    {                                                                                                          \
        MPI_Message message;                                                                                   \
        MPI_Request request;                                                                                   \
        CHECK_OK(MPI_Mprobe(0, TAG, comm, &message, status));                                                  \
        CHECK_OK(MPI_##name##suffix(data, ELEMENTS, MPI_INT, &message, &request));                             \
        CHECK_OK(MPI_Wait(&request, status));                                                                  \
    }
#define ALL_RECEIVES(MODE)                                                                                     \
    MODE(RECEIVE, Recv) MODE(RECEIVE_AND_WAIT, Irecv) MODE(RECEIVE_AGAIN, Recv_init)                           \
    MODE(RECEIVE_MATCHED, Mrecv) MODE(RECEIVE_MATCHED_AND_WAIT, Imrecv)

ALL_RECEIVES(DEFINE_BOTH)

static const struct {
    const char *name;
    void (*receive)(MPI_Status *status);
} receives[] = {ALL_RECEIVES(LIST_BOTH)};

/* A send of ready mode needs a receive that is there already; Mprobe never posts one. */
static int needs_receive(const char *name) { return strstr(name, "rsend") || strstr(name, "Rsend"); }
static int posts_receive(const char *name) { return strncmp(name, "Irecv", 5) == 0; }

static void all_pairs(void)
{
    MPI_Status status;
    int count;

    for (size_t s = 0; s < sizeof sends / sizeof *sends; s++)
        for (size_t r = 0; r < sizeof receives / sizeof *receives; r++) {
            int ready = needs_receive(sends[s].name);
            if (ready && !posts_receive(receives[r].name))
                continue;
            for (int i = 0; i < ELEMENTS; i++)
                data[i] = check_rank == 0 ? (int)(1000 * s + 10 * r) + i : -1;
            if (check_rank == 0) {
                if (ready)
                    MPI_Recv(NULL, 0, MPI_INT, 1, TAG + 1, comm, MPI_STATUS_IGNORE);
                sends[s].send();
                continue;
            }
            if (ready) {
                MPI_Request request;
                CHECK_OK(MPI_Irecv(data, ELEMENTS, MPI_INT, 0, TAG, comm, &request));
                MPI_Send(NULL, 0, MPI_INT, 0, TAG + 1, comm);
                CHECK_OK(MPI_Wait(&request, &status));
            } else {
                receives[r].receive(&status);
            }
            CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == TAG);
            MPI_Get_count(&status, MPI_INT, &count);
            CHECK_INT(count, ELEMENTS);
            for (int i = 0; i < ELEMENTS; i++)
                CHECK_INT(data[i], (int)(1000 * s + 10 * r) + i);
        }
}

/* Both ranks exchange with one call. */
static void exchanges(void)
{
    int peer = 1 - check_rank, mine[2] = {check_rank, 5 + check_rank}, theirs[2];
    MPI_Request request;
    MPI_Status status;

#define EXCHANGE(call)                                                                                         \
    theirs[0] = theirs[1] = -1;                                                                                \
    mine[0] = check_rank;                                                                                      \
    mine[1] = 5 + check_rank;                                                                                  \
    status.MPI_SOURCE = status.MPI_TAG = -1;                                                                   \
    CHECK_OK(call)
#define JUDGE(buffer)                                                                                          \
    CHECK(buffer[0] == peer && buffer[1] == 5 + peer);                                                         \
    CHECK(status.MPI_SOURCE == peer && status.MPI_TAG == TAG + peer)
#define ARGUMENTS mine, 2, MPI_INT, peer, TAG + check_rank, theirs, 2, MPI_INT, peer, MPI_ANY_TAG, comm
#define REPLACING mine, 2, MPI_INT, peer, TAG + check_rank, peer, MPI_ANY_TAG, comm
    EXCHANGE(MPI_Sendrecv(ARGUMENTS, &status));
    JUDGE(theirs);
    EXCHANGE(MPI_Sendrecv_c(ARGUMENTS, &status));
    JUDGE(theirs);
    EXCHANGE(MPI_Sendrecv_replace(REPLACING, &status));
    JUDGE(mine);
    EXCHANGE(MPI_Sendrecv_replace_c(REPLACING, &status));
    JUDGE(mine);
    EXCHANGE(MPI_Isendrecv(ARGUMENTS, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    JUDGE(theirs);
    EXCHANGE(MPI_Isendrecv_c(ARGUMENTS, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    JUDGE(theirs);
    EXCHANGE(MPI_Isendrecv_replace(REPLACING, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    JUDGE(mine);
    EXCHANGE(MPI_Isendrecv_replace_c(REPLACING, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    JUDGE(mine);
}

int main(int argc, char **argv)
{
    static char space[4096 + MPI_BSEND_OVERHEAD];

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Buffer_attach(space, sizeof space));
    all_pairs();
    exchanges();
    MPI_Buffer_detach(&(void *){0}, &(int){0});
    MPI_Comm_free(&comm);
    return check_end();
}
