/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: shuffled */
/* smpi: verified deadlock exit-code race/buffer */
/* What performance variables say: of messages in all and on one communicator, of queues and their extremes, of time and
 * states; each handle has its own beginning, and all handles of a session are meant at once (MPI 5.0 section 15.3.7). */
#include "../check.h"

static MPI_T_pvar_session session;

static MPI_T_pvar_handle handle_of(const char *name, int class, void *object)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index = -1, count = 0;

    CHECK_OK(MPI_T_pvar_get_index(name, class, &index));
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count));
    CHECK_INT(count, 1);
    return handle;
}

static long long value_of(MPI_T_pvar_handle handle)
{
    unsigned long long value = 12345;

    CHECK_OK(MPI_T_pvar_read(session, handle, &value));
    return (long long)value;
}

static void check_messages(void)
{
    MPI_Comm copy;
    MPI_T_pvar_handle sent, bytes, received, on_copy, late, collectives;
    int peer = 1 - check_rank, data[10] = {0};
    unsigned long long value;
    MPI_Request request;
    MPI_Message message;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    sent = handle_of("messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
    bytes = handle_of("bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, NULL);
    received = handle_of("messages_received", MPI_T_PVAR_CLASS_COUNTER, NULL);
    on_copy = handle_of("comm_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, &copy);
    collectives = handle_of("collectives", MPI_T_PVAR_CLASS_COUNTER, NULL);
    CHECK_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));

    MPI_Isend(data, 10, MPI_INT, peer, 0, MPI_COMM_WORLD, &request);
    CHECK_INT(value_of(sent), 1);
    MPI_Recv(data, 10, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, 5, MPI_INT, peer, 1, data + 5, 5, MPI_INT, peer, 1, copy, MPI_STATUS_IGNORE);
    MPI_Isend(data, 1, MPI_INT, peer, 2, copy, &request);
    MPI_Mprobe(peer, 2, copy, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 2, copy);
    MPI_Barrier(copy);
    MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(value_of(sent), 3);
    CHECK_INT(value_of(bytes), 64);
    CHECK_INT(value_of(received), 3);
    CHECK_INT(value_of(on_copy), 24);
    CHECK_INT(value_of(collectives), 2);

    /* Another handle begins where it is started; a stopped one stays. */
    late = handle_of("messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL);
    CHECK_INT(value_of(late), 0);
    CHECK_OK(MPI_T_pvar_stop(session, sent));
    CHECK_OK(MPI_T_pvar_start(session, late));
    MPI_Sendrecv(data, 5, MPI_INT, peer, 1, data + 5, 5, MPI_INT, peer, 1, copy, MPI_STATUS_IGNORE);
    CHECK_INT(value_of(sent), 3);
    CHECK_INT(value_of(late), 1);
    CHECK_OK(MPI_T_pvar_readreset(session, bytes, &value));
    CHECK_INT(value, 84);
    CHECK_INT(value_of(bytes), 0);
    value = 100;
    CHECK_OK(MPI_T_pvar_write(session, late, &value));
    MPI_Sendrecv(data, 5, MPI_INT, peer, 1, data + 5, 5, MPI_INT, peer, 1, copy, MPI_STATUS_IGNORE);
    CHECK_INT(value_of(late), 101);
    CHECK_OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    CHECK_INT(value_of(late), 0);
    CHECK_INT(value_of(sent), 0);
    CHECK_INT(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    MPI_Comm_free(&copy);
}

static void check_queues(void)
{
    MPI_T_pvar_handle waiting, posted, highest, lowest, unexpected, of_comm;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request requests[3];
    int i, data[3];
    unsigned long long value = 1;

    waiting = handle_of("unexpected_queue_length", MPI_T_PVAR_CLASS_LEVEL, NULL);
    of_comm = handle_of("comm_unexpected_queue_length", MPI_T_PVAR_CLASS_LEVEL, &world);
    posted = handle_of("posted_queue_length", MPI_T_PVAR_CLASS_LEVEL, NULL);
    highest = handle_of("posted_queue_highest", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL);
    lowest = handle_of("unexpected_queue_lowest", MPI_T_PVAR_CLASS_LOWWATERMARK, NULL);
    unexpected = handle_of("unexpected_messages", MPI_T_PVAR_CLASS_COUNTER, NULL);
    CHECK_INT(MPI_T_pvar_start(session, waiting), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_INT(MPI_T_pvar_write(session, waiting, &value), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_INT(MPI_T_pvar_reset(session, waiting), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_INT(MPI_T_pvar_readreset(session, waiting, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    CHECK_OK(MPI_T_pvar_start(session, highest));
    CHECK_OK(MPI_T_pvar_start(session, unexpected));
    if (check_rank == 0) {
        for (i = 0; i < 3; i++)
            MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (i = 0; i < 3; i++)
            MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_INT(value_of(waiting), 3);
        CHECK_INT(value_of(of_comm), 3);
        CHECK_INT(value_of(unexpected), 3);
        CHECK_OK(MPI_T_pvar_start(session, lowest));
        CHECK_INT(value_of(lowest), 3);
        for (i = 0; i < 3; i++)
            MPI_Recv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* What is left are messages of collective operations. */
        CHECK_INT(value_of(of_comm), 0);
        CHECK(value_of(waiting) < 3 && value_of(lowest) <= value_of(waiting));
        CHECK_OK(MPI_T_pvar_reset(session, highest));
        for (i = 0; i < 3; i++)
            MPI_Irecv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(value_of(highest) >= 3);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        CHECK_INT(value_of(posted), 0);
        CHECK_INT(value_of(unexpected), 3);
    }
}

static void check_machine(void)
{
    MPI_T_pvar_handle time, state, cores, use, now;
    double secs = -1, before;
    int phase = -1;
    MPI_Request request;
    static char data[1 << 24];

    time = handle_of("time_in_mpi", MPI_T_PVAR_CLASS_TIMER, NULL);
    now = handle_of("simulated_time", MPI_T_PVAR_CLASS_GENERIC, NULL);
    state = handle_of("mpi_phase", MPI_T_PVAR_CLASS_STATE, NULL);
    cores = handle_of("host_cores", MPI_T_PVAR_CLASS_SIZE, NULL);
    use = handle_of("host_link_use", MPI_T_PVAR_CLASS_PERCENTAGE, NULL);
    CHECK_OK(MPI_T_pvar_start(session, time));
    CHECK_OK(MPI_T_pvar_read(session, now, &before));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_T_pvar_read(session, time, &secs));
    CHECK(secs > 0);
    CHECK_OK(MPI_T_pvar_read(session, now, &secs));
    CHECK(secs > before);
    CHECK_OK(MPI_T_pvar_read(session, state, &phase));
    CHECK_INT(phase, 1);
    CHECK(value_of(cores) >= 1);
    CHECK_OK(MPI_T_pvar_read(session, use, &secs));
    CHECK(secs == 0);
    if (check_rank == 0) {
        MPI_Isend(data, sizeof(data), MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        before = MPI_Wtime();
        while (MPI_Wtime() - before < 0.01)
            ;
        CHECK_OK(MPI_T_pvar_read(session, use, &secs));
        CHECK(secs > 0.8 && secs <= 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, sizeof(data), MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session other, gone;
    MPI_T_pvar_handle handle;
    int provided, index, count;
    unsigned long long value;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK_OK(MPI_T_pvar_session_create(&other));
    CHECK(session != other);
    check_messages();
    check_queues();
    check_machine();

    CHECK_OK(MPI_T_pvar_get_index("messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index));
    CHECK_INT(MPI_T_pvar_get_index("messages_sent", MPI_T_PVAR_CLASS_LEVEL, &index), MPI_T_ERR_INVALID_NAME);
    CHECK_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK_INT(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_pvar_read(session, handle, NULL), MPI_T_ERR_INVALID);
    gone = other;
    CHECK_OK(MPI_T_pvar_session_free(&other));
    CHECK_INT(MPI_T_pvar_handle_alloc(gone, index, NULL, &handle, &count), MPI_T_ERR_INVALID_SESSION);
    CHECK_INT(MPI_T_pvar_session_free(&other), MPI_T_ERR_INVALID_SESSION);
    CHECK_OK(MPI_T_pvar_session_free(&session));
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
