/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Names of communicators: predefined ones, empty at first, not copied by dup, cut at MPI_MAX_OBJECT_NAME (MPI 5.0 section 7.8). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm, copy;
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int length;

    check_begin(&argc, &argv);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
    CHECK_INT(length, 14);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_name(comm, name, &length);
    CHECK_INT(length, 0);
    CHECK(name[0] == '\0');
    MPI_Comm_set_name(comm, "the workers");
    MPI_Comm_get_name(comm, name, &length);
    CHECK(strcmp(name, "the workers") == 0);
    CHECK_INT(length, 11);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_name(copy, name, &length);
    CHECK_INT(length, 0);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    MPI_Comm_set_name(comm, longest);
    MPI_Comm_get_name(comm, name, &length);
    CHECK_INT(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK(strcmp(name, longest) == 0);
    MPI_Comm_set_name(MPI_COMM_WORLD, "all");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "all") == 0);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&copy);
    return check_end();
}
