/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Errors of files return unless the program wants something else; what a handler says is what the call returns (MPI 5.0
 * sections 9.3.1 and 14.7). */
#include "file.h"

static int calls;
static MPI_File last;

static void note(MPI_File *file, int *code, ...)
{
    int class;

    MPI_Error_class(*code, &class);
    CHECK(class == MPI_ERR_READ_ONLY || class == MPI_ERR_NO_SUCH_FILE);
    last = *file;
    calls++;
}

int main(int argc, char **argv)
{
    MPI_File file, other;
    MPI_Errhandler handler, found;
    const char *name;
    int data = 0;

    check_begin(&argc, &argv);
    name = file_name("handlers");
    MPI_File_create_errhandler(note, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK_INT(calls, 1);
    CHECK(last == MPI_FILE_NULL);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &other));
    CHECK_OK(MPI_File_close(&other));
    MPI_Barrier(MPI_COMM_WORLD);
    /* A file has the handler that MPI_FILE_NULL has when it is opened. */
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK_INT(calls, 2);
    CHECK(last == file);
    CHECK_OK(MPI_File_get_errhandler(file, &found));
    CHECK(found == handler);
    MPI_Errhandler_free(&found);
    CHECK_OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_INT(calls, 2);
    CHECK_ERROR(MPI_File_read_at(MPI_FILE_NULL, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_FILE);
    CHECK_OK(MPI_File_close(&file));
    MPI_Errhandler_free(&handler);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    return check_end();
}
