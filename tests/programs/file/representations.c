/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The portable representation: big-endian, with the sizes of the standard (MPI 5.0 section 14.5.2). */
#include "file.h"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Status status;
    MPI_Aint extent = -1;
    const char *name;
    unsigned char bytes[8], wanted[8] = {1, 2, 3, 4, 255, 255, 255, 254};
    int data[2] = {0x01020304, -2}, found[2] = {0, 0};
    double real = 0.1 * (1 + check_rank), again = 0;

    check_begin(&argc, &argv);
    name = file_name("representations");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_INT(extent, 4);
    if (check_rank == 0)
        CHECK_OK(MPI_File_write_at(file, 0, data, 2, MPI_INT, &status));
    file_settle(file);
    CHECK_OK(MPI_File_read_at_all(file, 0, found, 2, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), 2);
    CHECK(memcmp(data, found, sizeof data) == 0);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at_all(file, 0, bytes, 8, MPI_BYTE, &status));
    CHECK(memcmp(bytes, wanted, 8) == 0);
    CHECK_OK(MPI_File_set_view(file, 8 + 8 * check_rank, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_all(file, &real, 1, MPI_DOUBLE, &status));
    CHECK_INT(file_count(&status, MPI_DOUBLE), 1);
    file_settle(file);
    CHECK_OK(MPI_File_read_at(file, 0, &again, 1, MPI_DOUBLE, &status));
    CHECK(again == real);
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
