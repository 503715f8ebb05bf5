/* smpi: ranks 1 */
/* smpi: expect-pass */
/* What a program may ask about the binary interface (MPI 5.0 section 20.6), before and after MPI_Init.
 * MPICH 4.0.2 deviates: it is older than that. */
#include "../check.h"
#include <stdlib.h>
#include <string.h>

static void expect(MPI_Info info, const char *key, const char *value)
{
    char found[MPI_MAX_INFO_VAL] = "";
    int length = sizeof found, flag = 0;

    MPI_Info_get_string(info, key, &length, found, &flag);
    CHECK(flag && strcmp(found, value) == 0);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    int major = -1, minor = -1, yes = 7, no = 7, is_set = 7;

    CHECK(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major == 1 && minor == 0);
    CHECK(MPI_Abi_get_info(&info) == MPI_SUCCESS);
    expect(info, "mpi_aint_size", "8");
    expect(info, "mpi_count_size", "8");
    expect(info, "mpi_offset_size", "8");
    MPI_Info_free(&info);
    check_begin(&argc, &argv);
    check_errors_return();
    CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS);
    expect(info, "mpi_logical_size", "4");
    expect(info, "mpi_integer_size", "4");
    expect(info, "mpi_real_size", "4");
    expect(info, "mpi_double_precision_size", "8");
    expect(info, "mpi_integer8_supported", "true");
    expect(info, "mpi_complex32_supported", "true");
    expect(info, "mpi_double_complex_supported", "true");
    CHECK_ERROR(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    MPI_Info_free(&info);
    CHECK(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set) == MPI_SUCCESS);
    CHECK(yes == 1 && no == 0 && is_set);
    CHECK_ERROR(MPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_ERR_ABI);
    CHECK_ERROR(MPI_Abi_get_fortran_booleans(3, &yes, &no, &is_set), MPI_ERR_ABI);
    return check_end();
}
