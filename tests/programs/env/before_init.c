/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Version, library version and info functions work before MPI_Init and after MPI_Finalize (MPI 5.0 section 11.4.1). */
#include "../check.h"

static int broken(void)
{
    int version = 0, subversion = -1, length = 0;
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";

    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(text, &length);
    return version < 1 || subversion < 0 || length <= 0 || (size_t)length != strlen(text);
}

int main(int argc, char **argv)
{
    int before = broken();

    check_begin(&argc, &argv);
    CHECK_INT(before, 0);
    CHECK_INT(broken(), 0);
    int code = check_end();
    return code | broken();
}
