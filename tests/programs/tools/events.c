/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: shuffled */
/* smpi: verified deadlock exit-code */
/* Events: what there is to be told, callbacks with data, time and source, hints, levels of safety, what is refused (MPI
 * 5.0 section 15.3.8). Callbacks may call MPI. */
#include "../check.h"

enum { MATCHED, UNEXPECTED, RECEIVED, BEGUN, KINDS };
static const char *const names[KINDS] = {"message_matched", "message_unexpected", "message_received",
                                         "collective_begun"};
static int told[KINDS], freed, with_mpi, safety_seen = -1;
static struct {
    int peer, tag;
    unsigned long long bytes;
    int unexpected;
} last[KINDS];
static MPI_Count last_time[KINDS];
static MPI_T_event_instance kept;

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *data)
{
    int kind = (int)(size_t)data, source = -1, tag = -1, rank;
    MPI_Count now;

    told[kind]++;
    safety_seen = safety;
    kept = instance;
    CHECK(registration != NULL);
    CHECK_OK(MPI_T_event_get_source(instance, &source));
    CHECK_INT(source, 0);
    last_time[kind] = -1;
    CHECK_OK(MPI_T_event_get_timestamp(instance, &last_time[kind]));
    CHECK_OK(MPI_T_source_get_timestamp(source, &now));
    CHECK(last_time[kind] >= 0 && last_time[kind] <= now);
    CHECK_OK(MPI_T_event_copy(instance, &last[kind]));
    CHECK_OK(MPI_T_event_read(instance, 1, &tag));
    CHECK_INT(tag, last[kind].tag);
    CHECK_INT(MPI_T_event_read(instance, 17, &tag), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_event_read(instance, 0, NULL), MPI_T_ERR_INVALID);
    if (kind == RECEIVED && !with_mpi) {
        with_mpi = 1;
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - check_rank, 77, &tag, 1, MPI_INT, 1 - check_rank, 77, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
    CHECK(registration != NULL && safety == MPI_T_CB_REQUIRE_NONE);
    freed += *(int *)data;
}

static MPI_T_event_registration registration_of(int kind, void *object)
{
    MPI_T_event_registration registration = NULL;
    int index = -1;

    CHECK_OK(MPI_T_event_get_index(names[kind], &index));
    CHECK_OK(MPI_T_event_handle_alloc(index, object, MPI_INFO_NULL, &registration));
    CHECK_OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, (void *)(size_t)kind,
                                           on_event));
    return registration;
}

static void check_descriptions(void)
{
    int number, i, elements, bind, room, verbosity, order;
    MPI_Datatype types[8];
    MPI_Aint places[8];
    MPI_T_enum enumeration;
    MPI_Count ticks, most;
    MPI_Info info;
    char name[128];

    CHECK_OK(MPI_T_event_get_num(&number));
    for (i = 0; i < number; i++) {
        elements = 8;
        room = sizeof(name);
        CHECK_OK(MPI_T_event_get_info(i, name, &room, &verbosity, types, places, &elements, &enumeration, &info, NULL,
                                      NULL, &bind));
        CHECK(elements == 4 || elements == 2);
        CHECK(types[0] == MPI_INT && places[0] == 0 && enumeration != MPI_T_ENUM_NULL);
        CHECK_INT(room, (int)strlen(name) + 1);
        CHECK_OK(MPI_T_enum_get_info(enumeration, &verbosity, NULL, NULL));
        CHECK_INT(verbosity, elements);
        MPI_Info_free(&info);
        elements = 1;
        types[1] = MPI_DATATYPE_NULL;
        CHECK_OK(MPI_T_event_get_info(i, NULL, NULL, NULL, types, NULL, &elements, NULL, NULL, NULL, NULL, NULL));
        CHECK(elements >= 2 && types[1] == MPI_DATATYPE_NULL);
    }
    CHECK_INT(MPI_T_event_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
              MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_event_get_index("no event has this name", &i), MPI_T_ERR_INVALID_NAME);
    CHECK_OK(MPI_T_source_get_num(&number));
    CHECK_INT(number, 1);
    room = sizeof(name);
    CHECK_OK(MPI_T_source_get_info(0, name, &room, NULL, NULL, &order, &ticks, &most, &info));
    CHECK(order == MPI_T_SOURCE_ORDERED && ticks == 1000000000 && most > ticks);
    MPI_Info_free(&info);
    CHECK_INT(MPI_T_source_get_info(1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_source_get_timestamp(-1, &ticks), MPI_T_ERR_INVALID_INDEX);
}

static void check_hints(MPI_T_event_registration registration)
{
    MPI_Info info;
    char value[16];
    int room = sizeof(value), flag = 0;

    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    CHECK_OK(MPI_T_event_handle_set_info(registration, info));
    CHECK_OK(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, info));
    MPI_Info_free(&info);
    CHECK_OK(MPI_T_event_handle_get_info(registration, &info));
    MPI_Info_get_string(info, "key", &room, value, &flag);
    CHECK(flag && strcmp(value, "value") == 0);
    MPI_Info_free(&info);
    CHECK_OK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_THREAD_SAFE, &info));
    MPI_Info_get_nkeys(info, &room);
    CHECK_INT(room, 1);
    MPI_Info_free(&info);
    CHECK_OK(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
    MPI_Info_get_nkeys(info, &room);
    CHECK_INT(room, 0);
    MPI_Info_free(&info);
    CHECK_INT(MPI_T_event_callback_get_info(registration, 1234, &info), MPI_T_ERR_INVALID);
}

int main(int argc, char **argv)
{
    MPI_T_event_registration registrations[KINDS];
    MPI_Comm copy;
    int provided, kind, peer, data[4] = {0}, one = 1, algorithm;
    char name[64];

    check_begin(&argc, &argv);
    peer = 1 - check_rank;
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    check_descriptions();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (kind = 0; kind < KINDS; kind++)
        registrations[kind] = registration_of(kind, kind == BEGUN ? &copy : NULL);
    check_hints(registrations[MATCHED]);

    if (check_rank == 0) {
        MPI_Send(data, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(data, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_INT(told[UNEXPECTED], 1);
        CHECK(last[UNEXPECTED].peer == 0 && last[UNEXPECTED].tag == 5 && last[UNEXPECTED].bytes == 16);
        MPI_Send(data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
        MPI_Recv(data, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK_INT(told[RECEIVED], 2);
    CHECK_INT(with_mpi, 1);
    CHECK_INT(told[MATCHED], 2);
    CHECK_INT(last[RECEIVED].tag, 77);
    CHECK_INT(safety_seen, MPI_T_CB_REQUIRE_NONE);

    /* Only the communicator that a registration is bound to. */
    CHECK_INT(told[BEGUN], 0);
    MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(data, 1, MPI_INT, 0, copy);
    CHECK_INT(told[BEGUN], 1);
    algorithm = sizeof(name);
    CHECK_OK(MPI_T_cvar_get_info(last[BEGUN].peer, name, &algorithm, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(strcmp(name, "smpi/bcast") == 0);

    /* An event is known during its callback. */
    CHECK_INT(MPI_T_event_read(kept, 0, &one), MPI_T_ERR_INVALID_HANDLE);

    /* The callback for the least safety is told; without one, nobody. */
    CHECK_OK(MPI_T_event_register_callback(registrations[BEGUN], MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL,
                                           (void *)(size_t)BEGUN, on_event));
    CHECK_OK(MPI_T_event_register_callback(registrations[BEGUN], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL));
    MPI_Barrier(copy);
    CHECK_INT(told[BEGUN], 2);
    CHECK_INT(safety_seen, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE);
    CHECK_OK(MPI_T_event_register_callback(registrations[BEGUN], MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL,
                                           NULL, NULL));
    MPI_Barrier(copy);
    CHECK_INT(told[BEGUN], 2);

    for (kind = 0; kind < KINDS; kind++)
        CHECK_OK(MPI_T_event_handle_free(registrations[kind], &one, on_free));
    CHECK_INT(freed, KINDS);
    CHECK_INT(MPI_T_event_handle_free(registrations[0], NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    kind = told[RECEIVED];
    MPI_Sendrecv(data, 1, MPI_INT, peer, 1, data + 1, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(told[RECEIVED], kind);
    MPI_Comm_free(&copy);
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
