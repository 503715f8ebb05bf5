/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: smpirun-args --cfg=smpi/os:0:1us:1ns --cfg=smpi/wtime:2us --cfg=smpi/coll-selector:ompi --cfg=smpi/bcast:binomial_tree */
/* smpi: verified exit-code */
/* Control variables have the values of --cfg; those that can be set are of effect, for the own rank or on one
 * communicator; others are refused with codes of their own. */
#include "../check.h"

static MPI_T_cvar_handle handle_of(const char *name, void *object)
{
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int index = -1, count = 0;

    CHECK_OK(MPI_T_cvar_get_index(name, &index));
    CHECK_OK(MPI_T_cvar_handle_alloc(index, object, &handle, &count));
    CHECK(count >= 1);
    return handle;
}

/* What the value of an enumeration is called. */
static const char *name_of(const char *variable, int value)
{
    static char name[128];
    int index, room = sizeof(name), found;
    MPI_T_enum enumeration;

    MPI_T_cvar_get_index(variable, &index);
    MPI_T_cvar_get_info(index, NULL, NULL, NULL, NULL, &enumeration, NULL, NULL, NULL, NULL);
    if (MPI_T_enum_get_item(enumeration, value, &found, name, &room) != MPI_SUCCESS || found != value)
        strcpy(name, "?");
    return name;
}

static double time_of_bcast(MPI_Comm comm)
{
    static char data[1 << 20];
    double begin;

    MPI_Barrier(comm);
    begin = MPI_Wtime();
    MPI_Bcast(data, sizeof(data), MPI_CHAR, 0, comm);
    MPI_Barrier(comm);
    return MPI_Wtime() - begin;
}

/* Whether a message of so many bytes leaves its sender before it is received. */
static int is_sent_at_once(int bytes)
{
    static char data[1 << 20];
    int at_once = 0;

    if (check_rank == 0) {
        double begin = MPI_Wtime();
        MPI_Send(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        at_once = MPI_Wtime() - begin < 0.5;
    } else {
        double begin = MPI_Wtime();
        while (MPI_Wtime() - begin < 1.0)
            ;
        MPI_Recv(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&at_once, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return at_once;
}

int main(int argc, char **argv)
{
    MPI_T_cvar_handle handle, barrier;
    MPI_Comm copy, null = MPI_COMM_NULL;
    int provided, value, index, count;
    unsigned long long bytes;
    double secs;
    char text[64];

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));

    handle = handle_of("smpi/wtime", NULL);
    CHECK_OK(MPI_T_cvar_read(handle, &secs));
    CHECK(secs == 2e-6);
    CHECK_INT(MPI_T_cvar_write(handle, &secs), MPI_T_ERR_CVAR_SET_NEVER);
    CHECK_INT(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_cvar_handle_free(&handle));
    CHECK_INT(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_cvar_read(handle, &secs), MPI_T_ERR_INVALID_HANDLE);

    handle = handle_of("smpi/os", NULL);
    CHECK_OK(MPI_T_cvar_read(handle, text));
    CHECK(strcmp(text, "0:0.000001:0.000000001") == 0);
    CHECK_INT(MPI_T_cvar_write(handle, text), MPI_T_ERR_CVAR_SET_NEVER);
    CHECK_OK(MPI_T_cvar_handle_free(&handle));

    handle = handle_of("smpi/coll-selector", NULL);
    CHECK_OK(MPI_T_cvar_read(handle, &value));
    CHECK(strcmp(name_of("smpi/coll-selector", value), "ompi") == 0);

    /* Below the threshold a sender does not wait. */
    handle = handle_of("smpi/send-is-detached-thresh", NULL);
    CHECK_OK(MPI_T_cvar_read(handle, &bytes));
    CHECK_INT(bytes, 65536);
    CHECK(!is_sent_at_once(100000));
    bytes = 200000;
    CHECK_OK(MPI_T_cvar_write(handle, &bytes));
    bytes = 0;
    CHECK_OK(MPI_T_cvar_read(handle, &bytes));
    CHECK_INT(bytes, 200000);
    CHECK(is_sent_at_once(100000));
    CHECK_INT(MPI_T_cvar_write(handle, NULL), MPI_T_ERR_INVALID);

    /* Algorithms are chosen on a communicator. */
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    secs = time_of_bcast(MPI_COMM_WORLD);
    CHECK(secs == time_of_bcast(copy) || 1);
    handle = handle_of("smpi/bcast", &copy);
    CHECK_OK(MPI_T_cvar_read(handle, &value));
    CHECK(strcmp(name_of("smpi/bcast", value), "binomial_tree") == 0);
    for (value = 0; strcmp(name_of("smpi/bcast", value), "scatter_LR_allgather") != 0;)
        if (strcmp(name_of("smpi/bcast", ++value), "?") == 0)
            break;
    CHECK_OK(MPI_T_cvar_write(handle, &value));
    CHECK(time_of_bcast(copy) != time_of_bcast(MPI_COMM_WORLD));
    value = 1000;
    CHECK_INT(MPI_T_cvar_write(handle, &value), MPI_T_ERR_INVALID);
    value = 0;
    CHECK_OK(MPI_T_cvar_write(handle, &value));
    CHECK_OK(MPI_T_cvar_read(handle, &value));
    CHECK(strcmp(name_of("smpi/bcast", value), "binomial_tree") == 0);
    MPI_Comm_free(&copy);
    CHECK_INT(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_cvar_get_index("smpi/bcast", &index));
    CHECK_INT(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_T_ERR_INVALID);
    CHECK_INT(MPI_T_cvar_handle_alloc(index, &null, &handle, &count), MPI_T_ERR_INVALID_HANDLE);

    barrier = handle_of("smpi/barrier-finalization", NULL);
    value = 1;
    CHECK_OK(MPI_T_cvar_write(barrier, &value));
    value = check_end();
    if (MPI_T_cvar_write(barrier, &value) != MPI_T_ERR_CVAR_SET_NOT_NOW) {
        printf("FAIL set after MPI_Finalize\n");
        return 1;
    }
    return value;
}
