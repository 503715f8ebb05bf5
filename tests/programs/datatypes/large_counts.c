/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Types larger than 2 GB: sizes and extents by the _x functions, MPI_UNDEFINED from MPI_Type_size (MPI 5.0 section 5.1.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype huge, huger;
    int size;
    MPI_Count size_x, low, extent;
    MPI_Aint low_a, extent_a;

    check_begin(&argc, &argv);
    MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &huge);
    MPI_Type_size(huge, &size);
    CHECK_INT(size, MPI_UNDEFINED);
    MPI_Type_size_x(huge, &size_x);
    CHECK_INT(size_x, 8ll << 30);
    MPI_Type_vector(100, 1, 2, huge, &huger);
    MPI_Type_size_x(huger, &size_x);
    CHECK_INT(size_x, 100 * (8ll << 30));
    MPI_Type_get_extent_x(huger, &low, &extent);
    CHECK_INT(low, 0);
    CHECK_INT(extent, 199 * (8ll << 30));
    low = extent = -1;
    MPI_Type_get_true_extent_x(huger, &low, &extent);
    CHECK_INT(low, 0);
    CHECK_INT(extent, 199 * (8ll << 30));
    MPI_Type_get_extent(huger, &low_a, &extent_a);
    CHECK_INT(extent_a, 199 * (8ll << 30));
    MPI_Type_free(&huge);
    MPI_Type_free(&huger);
    return check_end();
}
