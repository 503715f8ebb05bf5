/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* Callbacks about what the own rank does are part of every execution, and know what it was told. */
#include <assert.h>
#include <mpi.h>

static int first = -1;

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *data)
{
    (void)registration, (void)safety, (void)data;
    if (first < 0)
        MPI_T_event_read(instance, 0, &first);
}

int main(int argc, char **argv)
{
    MPI_T_event_registration registration;
    int rank, provided, index, data = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_event_get_index("message_received", &index);
    MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration);
    MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_event);
    if (rank > 0) {
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(first != 2);
    }
    MPI_T_event_handle_free(registration, NULL, NULL);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
