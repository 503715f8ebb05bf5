/* smpi: ranks 1 */
/* smpi: expect-pass */
/* The null handles of communicators and datatypes have names (MPI 4.1 and later; MPI 5.0 section 7.8).
 * MPICH 4.0.2 deviates: it raises an error, as MPI 4.0 allows. */
#include "../check.h"

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;

    check_begin(&argc, &argv);
    MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
    CHECK(strcmp(name, "MPI_COMM_NULL") == 0);
    CHECK_INT(length, 13);
    MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
    return check_end();
}
