/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Pieces of all ranks that interleave, with holes, blocking and nonblocking, together and one by one. */
#include "file.h"

enum { PIECES = 700, WIDTH = 37 };

static void check_contents(MPI_File file, int ranks)
{
    /* One byte behind the pieces of all ranks is nobody's, and may be anything. */
    int stride = ranks * WIDTH + 1, i, wrong = 0;
    unsigned char *all = malloc(stride * PIECES);
    MPI_Status status;

    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at_all(file, 0, all, stride * PIECES, MPI_BYTE, &status));
    CHECK_INT(file_count(&status, MPI_BYTE), stride * PIECES - 1);
    for (i = 0; i < stride * PIECES - 1; i++)
        wrong += i % stride != stride - 1 && all[i] != 1 + i % stride / WIDTH;
    CHECK_INT(wrong, 0);
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Datatype piece, filetype;
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    char *data;
    int ranks, round, i, wrong = 0;

    check_begin(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, file_name("together"), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    MPI_Type_contiguous(WIDTH, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, ranks * WIDTH + 1, &filetype);
    MPI_Type_commit(&filetype);
    data = malloc(PIECES * WIDTH);
    for (round = 0; round < 3; round++) {
        CHECK_OK(MPI_File_set_size(file, 0));
        CHECK_OK(MPI_File_set_view(file, check_rank * WIDTH, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
        memset(data, 1 + check_rank, PIECES * WIDTH);
        if (round == 0) {
            CHECK_OK(MPI_File_write_all(file, data, PIECES * WIDTH, MPI_BYTE, &status));
        } else if (round == 1) {
            CHECK_OK(MPI_File_write(file, data, PIECES * WIDTH, MPI_BYTE, &status));
        } else {
            CHECK_OK(MPI_File_iwrite_all(file, data, PIECES * WIDTH, MPI_BYTE, &request));
            CHECK_OK(MPI_Wait(&request, &status));
        }
        CHECK_INT(file_count(&status, MPI_BYTE), PIECES * WIDTH);
        file_settle(file);
        memset(data, 0, PIECES * WIDTH);
        CHECK_OK(MPI_File_read_at_all(file, 0, data, PIECES * WIDTH, MPI_BYTE, &status));
        CHECK_INT(file_count(&status, MPI_BYTE), PIECES * WIDTH);
        for (i = 0; i < PIECES * WIDTH; i++)
            wrong += data[i] != 1 + check_rank;
        CHECK_INT(wrong, 0);
        check_contents(file, ranks);
    }
    CHECK_OK(MPI_File_close(&file));
    MPI_Type_free(&piece);
    MPI_Type_free(&filetype);
    free(data);
    return check_end();
}
