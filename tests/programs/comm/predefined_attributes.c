/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The attributes that MPI attaches to MPI_COMM_WORLD: pointers to int (MPI 5.0 sections 9.1.2, 11.10.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    int found, *value;

    check_begin(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
    CHECK(found && *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &found);
    CHECK(found && (*value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL ||
                    (*value >= 0 && *value < check_size)));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &found);
    CHECK(found && (*value == MPI_PROC_NULL || (*value >= 0 && *value < check_size)));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &found);
    CHECK(found && (*value == 0 || *value == 1));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &found);
    CHECK(found && *value >= MPI_ERR_LASTCODE);
    /* These two may be left unset. */
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &found);
    CHECK(!found || *value >= 1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &found);
    CHECK(!found || *value == 0);
    return check_end();
}
