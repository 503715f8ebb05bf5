/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A data representation of the program: integers as three bytes (MPI 5.0 section 14.5.3). */
#include "file.h"

static int calls;

static int extent_of(MPI_Datatype datatype, MPI_Aint *extent, void *state)
{
    CHECK(state == &calls);
    *extent = datatype == MPI_INT ? 3 : 1;
    return MPI_SUCCESS;
}

static int reading(void *user, MPI_Datatype datatype, int count, void *file, MPI_Offset position, void *state)
{
    int i;

    CHECK(datatype == MPI_INT && position == 0 && state == &calls);
    calls++;
    for (i = 0; i < count; i++) {
        unsigned char *bytes = (unsigned char *)file + 3 * i;
        ((int *)user)[i] = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
    }
    return MPI_SUCCESS;
}

static int writing(void *user, MPI_Datatype datatype, int count, void *file, MPI_Offset position, void *state)
{
    int i, k;

    CHECK(datatype == MPI_INT && position == 0 && state == &calls);
    calls++;
    for (i = 0; i < count; i++)
        for (k = 0; k < 3; k++)
            ((unsigned char *)file)[3 * i + k] = (unsigned char)(((int *)user)[i] >> 8 * k);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset size;
    MPI_Aint extent;
    const char *name;
    int data[4] = {1, 70000, 3, 4}, found[5] = {0}, i;

    check_begin(&argc, &argv);
    name = file_name("registered");
    CHECK_ERROR(MPI_Register_datarep("native", reading, writing, extent_of, &calls), MPI_ERR_DUP_DATAREP);
    CHECK_OK(MPI_Register_datarep("three", reading, writing, extent_of, &calls));
    CHECK_ERROR(MPI_Register_datarep("three", reading, writing, extent_of, &calls), MPI_ERR_DUP_DATAREP);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "three", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_INT(extent, 3);
    CHECK_OK(MPI_File_write_at(file, 4 * check_rank, data, 4, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), 4);
    file_settle(file);
    MPI_File_get_size(file, &size);
    CHECK_INT(size, 3 * 4 * check_size);
    CHECK_OK(MPI_File_read_at(file, 4 * (1 - check_rank), found, 4, MPI_INT, &status));
    for (i = 0; i < 4; i++)
        CHECK_INT(found[i], data[i]);
    CHECK_OK(MPI_File_iread_at(file, 7, found, 5, MPI_INT, &request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_INT(file_count(&status, MPI_INT), 1);
    CHECK_INT(calls, 3);
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
