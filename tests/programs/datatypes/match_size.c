/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_match_size finds predefined types by class and size (MPI 5.0 section 19.1.9). */
#include "../check.h"

int main(int argc, char **argv)
{
    static const struct {
        int type_class, size;
    } wanted[] = {{MPI_TYPECLASS_REAL, 4},    {MPI_TYPECLASS_REAL, 8},    {MPI_TYPECLASS_INTEGER, 4},
                  {MPI_TYPECLASS_INTEGER, 8}, {MPI_TYPECLASS_COMPLEX, 8}, {MPI_TYPECLASS_COMPLEX, 16}};
    MPI_Datatype type;
    int size;

    check_begin(&argc, &argv);
    for (int i = 0; i < 6; i++) {
        MPI_Type_match_size(wanted[i].type_class, wanted[i].size, &type);
        MPI_Type_size(type, &size);
        CHECK_INT(size, wanted[i].size);
    }
    return check_end();
}
