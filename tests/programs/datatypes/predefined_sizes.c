/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Size, extent and bounds of every predefined C type are those of the C type (MPI 5.0 section 3.2.2). */
#include "../check.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

static void check_type(const char *name, MPI_Datatype type, int expected)
{
    int size = -1;
    MPI_Aint low = -1, extent = -1;
    MPI_Count size_x = -1;

    MPI_Type_size(type, &size);
    MPI_Type_size_x(type, &size_x);
    MPI_Type_get_extent(type, &low, &extent);
    if (size != expected || size_x != expected || low != 0 || extent != expected)
        printf("%s:\n", name);
    CHECK_INT(size, expected);
    CHECK_INT(size_x, expected);
    CHECK_INT(low, 0);
    CHECK_INT(extent, expected);
    MPI_Type_get_true_extent(type, &low, &extent);
    CHECK_INT(low, 0);
    CHECK_INT(extent, expected);
}

#define TYPE(mpi_type, c_type) check_type(#mpi_type, mpi_type, (int)sizeof(c_type))

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TYPE(MPI_CHAR, char);
    TYPE(MPI_SIGNED_CHAR, char);
    TYPE(MPI_UNSIGNED_CHAR, char);
    TYPE(MPI_BYTE, char);
    TYPE(MPI_PACKED, char);
    TYPE(MPI_WCHAR, wchar_t);
    TYPE(MPI_SHORT, short);
    TYPE(MPI_UNSIGNED_SHORT, short);
    TYPE(MPI_INT, int);
    TYPE(MPI_UNSIGNED, int);
    TYPE(MPI_LONG, long);
    TYPE(MPI_UNSIGNED_LONG, long);
    TYPE(MPI_LONG_LONG, long long);
    TYPE(MPI_LONG_LONG_INT, long long);
    TYPE(MPI_UNSIGNED_LONG_LONG, long long);
    TYPE(MPI_FLOAT, float);
    TYPE(MPI_DOUBLE, double);
    TYPE(MPI_LONG_DOUBLE, long double);
    TYPE(MPI_C_BOOL, bool);
    TYPE(MPI_INT8_T, int8_t);
    TYPE(MPI_INT16_T, int16_t);
    TYPE(MPI_INT32_T, int32_t);
    TYPE(MPI_INT64_T, int64_t);
    TYPE(MPI_UINT8_T, uint8_t);
    TYPE(MPI_UINT16_T, uint16_t);
    TYPE(MPI_UINT32_T, uint32_t);
    TYPE(MPI_UINT64_T, uint64_t);
    TYPE(MPI_AINT, MPI_Aint);
    TYPE(MPI_OFFSET, MPI_Offset);
    TYPE(MPI_COUNT, MPI_Count);
    TYPE(MPI_C_COMPLEX, float complex);
    TYPE(MPI_C_FLOAT_COMPLEX, float complex);
    TYPE(MPI_C_DOUBLE_COMPLEX, double complex);
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, long double complex);
    return check_end();
}
