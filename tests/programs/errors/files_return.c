/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: expect-stdout handled */
/* smpi: expect-stdout PASS files_return.c */
/* Files return errors unless the program wants something else (MPI 5.0 section 14.7).
 * The handler of MPI_FILE_NULL is that of calls which have no file yet. */
#include "../check.h"
#include <stdio.h>
#include <string.h>

static void handle(MPI_File *file, int *code, ...)
{
    int class;

    CHECK(*file == MPI_FILE_NULL);
    MPI_Error_class(*code, &class);
    printf("handled\n");
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Errhandler handler, found;
    int major = -1, minor = -1;

    CHECK(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS && major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    check_begin(&argc, &argv);
    CHECK(MPI_File_open(MPI_COMM_WORLD, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS);
    MPI_File_get_errhandler(MPI_FILE_NULL, &found);
    CHECK(found == MPI_ERRORS_RETURN);
    MPI_File_create_errhandler(handle, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_File_get_errhandler(MPI_FILE_NULL, &found);
    CHECK(found == handler);
    MPI_Errhandler_free(&found);
    MPI_File_open(MPI_COMM_WORLD, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    return check_end();
}
