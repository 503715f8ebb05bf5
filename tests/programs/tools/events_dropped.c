/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* Events that happen while their rank waits may be too many to be kept: the dropped ones are counted (MPI 5.0 section
 * 15.3.8). */
#include "../check.h"

#define MESSAGES 3000

static long long told, dropped;

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *data)
{
    (void)instance, (void)registration, (void)safety;
    CHECK(data == &told);
    told++;
}

static void on_dropped(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety,
                       void *data)
{
    CHECK(count > 0 && registration != NULL && source == 0 && safety == MPI_T_CB_REQUIRE_NONE && data == &told);
    dropped += count;
}

int main(int argc, char **argv)
{
    MPI_T_event_registration registration;
    int provided, index, i, data;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_event_get_index("message_unexpected", &index));
    CHECK_OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
    CHECK_OK(MPI_T_event_set_dropped_handler(registration, on_dropped));
    CHECK_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &told, on_event));
    if (check_rank == 0) {
        for (i = 0; i < MESSAGES; i++)
            MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(told > 0 && dropped > 0);
        CHECK_INT(told + dropped, MESSAGES);
        for (i = 0; i < MESSAGES; i++)
            MPI_Recv(&data, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(told + dropped, MESSAGES);
    }
    CHECK_OK(MPI_T_event_handle_free(registration, NULL, NULL));
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
