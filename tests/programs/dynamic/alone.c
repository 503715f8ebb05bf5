/* smpi: direct */
/* smpi: expect-pass */
/* A program that runs without smpirun is alone: it spawns nobody, and is told so; names of ports work. */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
    MPI_Comm parent, child;
    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
    CHECK_ERROR(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE),
                MPI_ERR_SPAWN);
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_OK(MPI_Publish_name("service", MPI_INFO_NULL, port));
    CHECK_OK(MPI_Lookup_name("service", MPI_INFO_NULL, found));
    CHECK(strcmp(port, found) == 0);
    CHECK_OK(MPI_Unpublish_name("service", MPI_INFO_NULL, port));
    CHECK_OK(MPI_Close_port(port));
    return check_end();
}
