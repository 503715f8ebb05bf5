/* A call that fails leaves a trace, although its error handler says that errors return: with call, line, class and
 * count; files have this handler by default. */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-stderr-contains warning: mpi/error-returned: MPI_File_open returned */
/* smpi: expect-stderr-contains ranks 0,1: MPI_File_open at error_returned.c:23 in main */
/* smpi: expect-stderr-contains MPI_File_close returned MPI_ERR_FILE */
/* smpi: expect-stderr-contains rank 1: MPI_Send at error_returned.c:27 in main */
/* smpi: expect-stderr-contains MPI_Comm_dup returned the error */
#include <mpi.h>

static int failing(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag) {
    return *(int *)extra;
}

int main(int argc, char **argv) {
    int rank, x = 0, key, code;
    MPI_File file = MPI_FILE_NULL;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "no-such-directory/input", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; rank == 1 && i < 3; i++)
        MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Add_error_code(MPI_ERR_OTHER, &code);
    MPI_Comm_create_keyval(failing, MPI_COMM_NULL_DELETE_FN, &key, &code);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &x);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Finalize();
    return 0;
}
