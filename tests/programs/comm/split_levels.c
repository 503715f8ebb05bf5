/* smpi: ranks 14 */
/* smpi: platform levels.toml */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* Hardware of several levels: hosts, in zones of the platform, in zones (MPI 5.0 section 7.4.2). */
#include "../check.h"

/* The number of members of the part, 0 for none; the part, too, if it is asked for. */
static int split(MPI_Comm comm, int type, const char *resource, MPI_Comm *keep)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm part;
    int size = 0;

    if (resource) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_hw_resource_type", resource);
    }
    CHECK_OK(MPI_Comm_split_type(comm, type, 0, info, &part));
    if (resource)
        MPI_Info_free(&info);
    if (part != MPI_COMM_NULL)
        MPI_Comm_size(part, &size);
    if (keep)
        *keep = part;
    else if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    return size;
}

int main(int argc, char **argv)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length, keys, flag;
    MPI_Info info;

    check_begin(&argc, &argv);
    MPI_Get_processor_name(name, &length);
    int lone = strcmp(name, "lone") == 0, right = name[0] == 'c';
    MPI_Get_hw_resource_info(&info);
    MPI_Info_get_nkeys(info, &keys);
    CHECK_INT(keys, lone ? 2 : 4);
    for (int i = 0; i < keys; i++) {
        char key[MPI_MAX_INFO_KEY], value[8];
        int room = sizeof value;
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_string(info, key, &room, value, &flag);
        CHECK(flag && strcmp(value, "true") == 0);
        CHECK(split(MPI_COMM_SELF, MPI_COMM_TYPE_HW_GUIDED, key, NULL) == 1);
    }
    MPI_Info_free(&info);
    /* Two ranks on a host: 7 hosts, of which 4, 2 and 1 are in the same outermost zone. */
    CHECK_INT(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "smpi://zone/1", NULL), lone ? 0 : right ? 4 : 8);
    CHECK_INT(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "smpi://zone/2", NULL), lone ? 0 : 4);
    CHECK_INT(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "smpi://zone/3", NULL), 0);
    CHECK_INT(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "smpi://zone/0", NULL), 0);
    CHECK_INT(split(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, "smpi://host", NULL), 2);
    /* Unguided, a level at a time. */
    MPI_Comm zone, blade, host;
    CHECK_INT(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, NULL, &zone), lone ? 0 : right ? 4 : 8);
    if (zone != MPI_COMM_NULL) {
        /* The right cabinet has one blade: its parts are hosts at once. */
        CHECK_INT(split(zone, MPI_COMM_TYPE_HW_UNGUIDED, NULL, &blade), right ? 2 : 4);
        CHECK_INT(split(blade, MPI_COMM_TYPE_HW_UNGUIDED, NULL, &host), right ? 0 : 2);
        if (host != MPI_COMM_NULL) {
            CHECK_INT(split(host, MPI_COMM_TYPE_HW_UNGUIDED, NULL, NULL), 0);
            MPI_Comm_free(&host);
        }
        MPI_Comm_free(&blade);
        MPI_Comm_free(&zone);
    }
    return check_end();
}
