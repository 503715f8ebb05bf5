/* smpi: ranks 2 */
/* smpi: expect-pass */
/* What cannot be spawned, ports that are not open and names that are not published have classes of their own
   (MPI 5.0 sections 11.8 and 11.9), on all ranks of a collective call, and nobody waits for ever. */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
    int rank, codes[3] = {-1, -1, -1};
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Info info;
    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_errors_return();
    /* A program that is missing, at the root. */
    CHECK_ERROR(MPI_Comm_spawn("./no-such-program", MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, codes),
                MPI_ERR_SPAWN);
    CHECK(codes[0] != MPI_SUCCESS && codes[2] != MPI_SUCCESS);
    CHECK(other == MPI_COMM_NULL);
    /* Directories and hosts that are missing. */
    MPI_Info_create(&info);
    MPI_Info_set(info, "wdir", "/no/such/directory");
    CHECK_ERROR(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, info, 1, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE),
                MPI_ERR_SPAWN);
    MPI_Info_delete(info, "wdir");
    MPI_Info_set(info, "host", "no-such-host");
    CHECK_ERROR(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, info, 1, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE),
                MPI_ERR_SPAWN);
    MPI_Info_free(&info);
    CHECK_ERROR(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 2, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE),
                MPI_ERR_ROOT);
    /* More ranks than there can be. */
    CHECK_ERROR(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1000000, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other,
                               MPI_ERRCODES_IGNORE),
                MPI_ERR_SPAWN);
    /* Ports. */
    CHECK_ERROR(MPI_Comm_connect("otherhost:122", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other), MPI_ERR_PORT);
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_ERROR(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    CHECK_OK(MPI_Close_port(port));
    CHECK_ERROR(MPI_Close_port(port), MPI_ERR_PORT);
    CHECK_ERROR(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    CHECK_ERROR(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    /* Names. */
    CHECK_ERROR(MPI_Lookup_name("nobody", MPI_INFO_NULL, found), MPI_ERR_NAME);
    CHECK_ERROR(MPI_Unpublish_name("nobody", MPI_INFO_NULL, "a port"), MPI_ERR_SERVICE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CHECK_OK(MPI_Publish_name("somebody", MPI_INFO_NULL, "a port"));
        CHECK_ERROR(MPI_Publish_name("somebody", MPI_INFO_NULL, "a port"), MPI_ERR_SERVICE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Lookup_name("somebody", MPI_INFO_NULL, found));
    CHECK(strcmp(found, "a port") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        CHECK_OK(MPI_Unpublish_name("somebody", MPI_INFO_NULL, "a port"));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_ERROR(MPI_Lookup_name("somebody", MPI_INFO_NULL, found), MPI_ERR_NAME);
    /* What is no socket. */
    CHECK_ERROR(MPI_Comm_join(-1, &other), MPI_ERR_ARG);
    return check_end();
}
