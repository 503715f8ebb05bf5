/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* Files beyond 2^32 bytes of which little is written, and reads of more than 2^31 bytes at once (MPI 5.0 chapter 14). */
#include "large.h"
#include "../file/file.h"

static const MPI_Offset far = 5ll << 30;

static void positions(MPI_File file)
{
    MPI_Offset offset = -1, bytes = -1;
    int out = 100 + check_rank, in = -1;

    CHECK_OK(MPI_File_write_at_c(file, far + 4 * check_rank, &out, 1, MPI_INT, MPI_STATUS_IGNORE));
    file_settle(file);
    CHECK_OK(MPI_File_get_size(file, &bytes));
    CHECK_INT(bytes, far + 4 * check_size);
    CHECK_OK(MPI_File_read_at_c(file, far + 4 * (1 - check_rank), &in, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(in, 101 - check_rank);
    /* In a view, offsets count integers, and the view itself begins beyond. */
    CHECK_OK(MPI_File_set_view(file, far - 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_seek(file, 2 + check_rank, MPI_SEEK_SET));
    CHECK_OK(MPI_File_get_position(file, &offset));
    CHECK_INT(offset, 2 + check_rank);
    CHECK_OK(MPI_File_get_byte_offset(file, offset, &bytes));
    CHECK_INT(bytes, far + 4 * check_rank);
    in = -1;
    CHECK_OK(MPI_File_read_c(file, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(in, 100 + check_rank);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_seek_shared(file, far / 4, MPI_SEEK_SET));
    CHECK_OK(MPI_File_get_position_shared(file, &offset));
    CHECK_INT(offset, far / 4);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_read_ordered_c(file, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(in, 100 + check_rank);
}

/* Every second element of a filetype that is larger than the distance between two of them can be. */
static void strides(MPI_File file)
{
    MPI_Datatype wide;
    int out[2] = {7 + check_rank, 9 + check_rank}, in[2] = {-1, -1};

    CHECK_OK(MPI_Type_create_resized_c(MPI_INT, 0, BEYOND + 64, &wide));
    CHECK_OK(MPI_Type_commit(&wide));
    CHECK_OK(MPI_File_set_view(file, 4 * check_rank, MPI_INT, wide, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at_all_c(file, 0, out, 2, MPI_INT, MPI_STATUS_IGNORE));
    file_settle(file);
    CHECK_OK(MPI_File_read_at_all_c(file, 0, in, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(in[0] == out[0] && in[1] == out[1]);
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at_c(file, BEYOND + 64 + 4 * (1 - check_rank), in, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], 10 - check_rank);
    CHECK_OK(MPI_Type_free(&wide));
}

/* More than an int can count, of a file without end. */
static void whole(void)
{
    MPI_Count size = BEYOND + 100, count = -1;
    char *memory = large_repeated(size);
    MPI_Status status;
    MPI_File zeros;
    int small = -1;

    memory[size - 1] = 5;
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, "/dev/zero", MPI_MODE_RDONLY, MPI_INFO_NULL, &zeros));
    CHECK_OK(MPI_File_read_at_c(zeros, far, memory, size, MPI_BYTE, &status));
    CHECK_OK(MPI_File_close(&zeros));
    CHECK_OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
    CHECK_INT(count, size);
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &small));
    CHECK_INT(small, MPI_UNDEFINED);
    CHECK_INT(memory[size - 1], 0);
    large_unmap(memory, size);
}

int main(int argc, char **argv)
{
    MPI_File file;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, file_name("large"), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    positions(file);
    strides(file);
    if (check_rank == 0)
        whole();
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
