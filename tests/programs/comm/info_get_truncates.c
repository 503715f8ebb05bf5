/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Info_get cuts a value that is longer than the given length (MPI 3.1 section 9, deprecated since 4.0).
 * MPICH 4.0.2 deviates: it raises an error. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info;
    char value[16] = "";
    int found = 0;

    check_begin(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "green");
    MPI_Info_get(info, "colour", 3, value, &found);
    CHECK(found && strcmp(value, "gre") == 0);
    MPI_Info_get(info, "colour", 5, value, &found);
    CHECK(found && strcmp(value, "green") == 0);
    MPI_Info_free(&info);
    return check_end();
}
