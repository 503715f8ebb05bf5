/* smpi: ranks 2 */
/* smpi: expect-stdout refused 1 */
/* smpi: expect-stdout refused 1 */
/* smpi: expect-stderr-contains MPI_File_set_view returned MPI_ERR_IO to 2 ranks: parameter 4 (filetype): data at */
/* smpi: requires smpi */
/* A view that goes backwards, in a file that is written. Errors of files return, and the warning says what was wrong. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {8, 0};
    MPI_Datatype types[2] = {MPI_BYTE, MPI_BYTE}, backwards;
    MPI_File file;
    int error;

    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(2, lengths, places, types, &backwards);
    MPI_Type_commit(&backwards);
    MPI_File_open(MPI_COMM_WORLD, "backwards", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    error = MPI_File_set_view(file, 0, MPI_BYTE, backwards, "native", MPI_INFO_NULL);
    printf("refused %d\n", error != MPI_SUCCESS);
    MPI_File_close(&file);
    MPI_Type_free(&backwards);
    MPI_Finalize();
    return 0;
}
