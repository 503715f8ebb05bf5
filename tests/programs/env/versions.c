/* smpi: ranks 1 */
/* smpi: expect-pass */
/* The version at run time is one that the library has completely, and the header's macros are defined (MPI 5.0 section 9.1.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    int version, subversion;

    check_begin(&argc, &argv);
    MPI_Get_version(&version, &subversion);
    CHECK(version >= 1 && version <= MPI_VERSION && subversion >= 0);
    CHECK(MPI_VERSION >= 3);
    CHECK(MPI_SUBVERSION >= 0);
    return check_end();
}
