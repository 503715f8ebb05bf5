/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* What all ranks must give alike is compared. */
#include "file.h"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Datatype etype, filetype;
    MPI_Offset place, position;
    const char *name;
    char representation[MPI_MAX_DATAREP_STRING];
    int modes[2] = {MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_MODE_WRONLY | MPI_MODE_CREATE};

    check_begin(&argc, &argv);
    name = file_name("not-same");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, modes[check_rank], MPI_INFO_NULL, &file), MPI_ERR_NOT_SAME);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, modes[0] | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_File_set_size(file, 10 + check_rank), MPI_ERR_NOT_SAME);
    CHECK_ERROR(MPI_File_seek_shared(file, 10 + check_rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
    CHECK_ERROR(MPI_File_set_atomicity(file, check_rank), MPI_ERR_NOT_SAME);

    /* A view that the ranks do not agree on changes nothing, neither the view nor the pointer. */
    CHECK_OK(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_seek(file, 3, MPI_SEEK_SET));
    etype = check_rank == 0 ? MPI_DOUBLE : MPI_SHORT;
    CHECK_ERROR(MPI_File_set_view(file, 8, etype, etype, "native", MPI_INFO_NULL), MPI_ERR_NOT_SAME);
    CHECK_OK(MPI_File_get_view(file, &place, &etype, &filetype, representation));
    CHECK_OK(MPI_File_get_position(file, &position));
    CHECK_INT(place, 4);
    CHECK_INT(etype == MPI_INT && filetype == MPI_INT, 1);
    CHECK_INT(position, 3);
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
