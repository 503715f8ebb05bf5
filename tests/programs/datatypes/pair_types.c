/* smpi: ranks 1 */
/* smpi: expect-pass */
/* The pair types: the size is that of both parts, the extent that of the C struct (MPI 5.0 section 6.9.4). */
#include "../check.h"

#define TYPE(mpi_type, c_type)                                                                   \
    do {                                                                                         \
        struct pair {                                                                            \
            c_type value;                                                                        \
            int index;                                                                           \
        };                                                                                       \
        int size;                                                                                \
        MPI_Aint low, extent;                                                                    \
        MPI_Type_size(mpi_type, &size);                                                          \
        MPI_Type_get_extent(mpi_type, &low, &extent);                                            \
        CHECK_INT(size, (int)(sizeof(c_type) + sizeof(int)));                                    \
        CHECK_INT(low, 0);                                                                       \
        CHECK_INT(extent, (MPI_Aint)sizeof(struct pair));                                        \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TYPE(MPI_FLOAT_INT, float);
    TYPE(MPI_DOUBLE_INT, double);
    TYPE(MPI_LONG_INT, long);
    TYPE(MPI_2INT, int);
    TYPE(MPI_SHORT_INT, short);
    TYPE(MPI_LONG_DOUBLE_INT, long double);
    return check_end();
}
