/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* MPI_Type_get_value_index finds the pair type of a value and an index type (MPI 5.0 section 6.9.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype pair;

    check_begin(&argc, &argv);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    CHECK(pair == MPI_DOUBLE_INT);
    MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair);
    CHECK(pair == MPI_2INT);
    MPI_Type_get_value_index(MPI_C_DOUBLE_COMPLEX, MPI_INT, &pair);
    CHECK(pair == MPI_DATATYPE_NULL);
    return check_end();
}
