/* smpi: ranks 2 */
/* smpi: expect-pass */
/* What a file handle keeps: hints (MPI 5.0 section 14.2.8), an error handler that the program calls (section 9.3), and
 * extents in the file of a registered representation (section 14.5.3), also with MPI_Count arguments. MPICH 5.0.2
 * deviates: it has no data representations of programs. */
#include "file.h"

static int calls, last_class;
static MPI_File last_file;

static void note(MPI_File *file, int *code, ...)
{
    calls++;
    last_file = *file;
    MPI_Error_class(*code, &last_class);
}

static void hints_of(MPI_File file, const char *key, const char *expected)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL] = "";
    int flag = 0, length = sizeof value;

    CHECK_OK(MPI_File_get_info(file, &info));
    CHECK_OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK(flag && strcmp(value, expected) == 0);
    MPI_Info_free(&info);
}

/* Integers take three bytes in the file. */
static int extent_of(MPI_Datatype datatype, MPI_Aint *extent, void *state)
{
    (void)state;
    *extent = datatype == MPI_INT ? 3 : 1;
    return MPI_SUCCESS;
}

static int converted;

static int from_file(void *user, MPI_Datatype datatype, MPI_Count count, void *file, MPI_Offset position, void *state)
{
    unsigned char *bytes = file;

    CHECK(datatype == MPI_INT && state == &converted);
    for (MPI_Count i = 0; i < count; i++)
        ((int *)user)[position + i] = bytes[3 * i] | bytes[3 * i + 1] << 8 | bytes[3 * i + 2] << 16;
    converted++;
    return MPI_SUCCESS;
}

static int to_file(void *user, MPI_Datatype datatype, MPI_Count count, void *file, MPI_Offset position, void *state)
{
    unsigned char *bytes = file;

    CHECK(datatype == MPI_INT && state == &converted);
    for (MPI_Count i = 0; i < 3 * count; i++)
        bytes[i] = (unsigned char)(((int *)user)[position + i / 3] >> 8 * (i % 3));
    converted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Aint extent = -1;
    MPI_Count extent_c = -1;
    MPI_Offset size = -1;
    int written[2] = {70000, 5}, found[2] = {-1, -1};

    check_begin(&argc, &argv);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, file_name("hints"), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "123456");
    CHECK_OK(MPI_File_set_info(file, info));
    MPI_Info_free(&info);
    hints_of(file, "cb_buffer_size", "123456");
    CHECK_OK(MPI_File_create_errhandler(note, &handler));
    CHECK_OK(MPI_File_set_errhandler(file, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_File_call_errhandler(file, MPI_ERR_NO_SPACE));
    CHECK(calls == 1 && last_class == MPI_ERR_NO_SPACE && last_file == file);
    CHECK_OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_OK(MPI_File_get_type_extent_c(file, MPI_INT, &extent_c));
    CHECK(extent == 4 && extent_c == 4);
    CHECK_OK(MPI_Register_datarep_c("three bytes", from_file, to_file, extent_of, &converted));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "three bytes", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_OK(MPI_File_get_type_extent_c(file, MPI_INT, &extent_c));
    CHECK(extent == 3 && extent_c == 3);
    written[1] += check_rank;
    CHECK_OK(MPI_File_write_at(file, 2 * check_rank, written, 2, MPI_INT, MPI_STATUS_IGNORE));
    file_settle(file);
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_INT(size, 12);
    CHECK_OK(MPI_File_read_at(file, 2 * (1 - check_rank), found, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(found[0] == 70000 && found[1] == 6 - check_rank);
    CHECK(converted >= 2);
    CHECK_OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    return check_end();
}
