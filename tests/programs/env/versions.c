/* smpi: ranks 1 */
/* smpi: expect-pass */
/* The version at run time is that of the header (MPI 5.0 section 9.1.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    int version, subversion;

    check_begin(&argc, &argv);
    MPI_Get_version(&version, &subversion);
    CHECK_INT(version, MPI_VERSION);
    CHECK_INT(subversion, MPI_SUBVERSION);
    return check_end();
}
