/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Names of datatypes: the predefined ones have theirs, derived ones none until set (MPI 5.0 section 7.8). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, copy;
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    check_begin(&argc, &argv);
    MPI_Type_get_name(MPI_INT, name, &length);
    CHECK(strcmp(name, "MPI_INT") == 0);
    CHECK_INT(length, 7);
    MPI_Type_get_name(MPI_DOUBLE_INT, name, &length);
    CHECK(strcmp(name, "MPI_DOUBLE_INT") == 0);
    MPI_Type_get_name(MPI_C_DOUBLE_COMPLEX, name, &length);
    CHECK(strcmp(name, "MPI_C_DOUBLE_COMPLEX") == 0);
    /* Of two names of one type, that which is no synonym (table 3.2). */
    MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &length);
    CHECK(strcmp(name, "MPI_C_COMPLEX") == 0);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_name(type, name, &length);
    CHECK_INT(length, 0);
    MPI_Type_set_name(type, "a pair");
    MPI_Type_get_name(type, name, &length);
    CHECK(strcmp(name, "a pair") == 0);
    MPI_Type_dup(type, &copy);
    MPI_Type_get_name(copy, name, &length);
    CHECK_INT(length, 0);
    MPI_Type_free(&copy);
    MPI_Type_free(&type);
    return check_end();
}
