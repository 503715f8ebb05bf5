/* smpi: ranks 3 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* Views let each rank see its own bytes of a file (MPI 5.0 section 14.3). */
#include "file.h"

enum { ROUNDS = 50, HEAD = 12 };

/* Rank r sees every third pair of integers behind a head. */
static void stripes(const char *name)
{
    MPI_File file;
    MPI_Datatype pair, stripe, etype, filetype;
    MPI_Offset offset, disp;
    MPI_Status status;
    int data[2 * ROUNDS], all[6 * ROUNDS], i, integers, addresses, types, combiner;
    char representation[MPI_MAX_DATAREP_STRING];

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 2 * check_size * (MPI_Aint)sizeof(int), &stripe);
    MPI_Type_commit(&stripe);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    disp = HEAD + 2 * check_rank * (MPI_Offset)sizeof(int);
    CHECK_OK(MPI_File_set_view(file, disp, MPI_INT, stripe, "native", MPI_INFO_NULL));
    for (i = 0; i < 2 * ROUNDS; i++)
        data[i] = 1000 * check_rank + i;
    CHECK_OK(MPI_File_write_all(file, data, 2 * ROUNDS, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), 2 * ROUNDS);
    CHECK_OK(MPI_File_get_position(file, &offset));
    CHECK_INT(offset, 2 * ROUNDS);
    CHECK_OK(MPI_File_get_byte_offset(file, 3, &offset));
    CHECK_INT(offset, disp + (2 * check_size + 1) * (MPI_Offset)sizeof(int));
    file_settle(file);
    CHECK_OK(MPI_File_seek(file, -1, MPI_SEEK_END));
    CHECK_OK(MPI_File_get_position(file, &offset));
    CHECK_INT(offset, 2 * ROUNDS - 1);
    CHECK_OK(MPI_File_read(file, data, 1, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), 1);
    CHECK_INT(data[0], 1000 * check_rank + 2 * ROUNDS - 1);
    CHECK_OK(MPI_File_seek(file, 4, MPI_SEEK_SET));
    CHECK_OK(MPI_File_seek(file, -1, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_read(file, data, 1, MPI_INT, &status));
    CHECK_INT(data[0], 1000 * check_rank + 3);
    CHECK_ERROR(MPI_File_seek(file, -100, MPI_SEEK_CUR), MPI_ERR_ARG);

    CHECK_OK(MPI_File_get_view(file, &offset, &etype, &filetype, representation));
    CHECK_INT(offset, disp);
    CHECK(etype == MPI_INT && strcmp(representation, "native") == 0);
    MPI_Type_get_envelope(filetype, &integers, &addresses, &types, &combiner);
    CHECK(combiner != MPI_COMBINER_NAMED);
    MPI_Type_free(&filetype);

    /* All of it, as bytes. */
    CHECK_OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_read_at_all(file, HEAD, all, 6 * ROUNDS, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), 6 * ROUNDS);
    for (i = 0; i < 6 * ROUNDS; i++)
        CHECK_INT(all[i], 1000 * (i / 2 % 3) + i / 6 * 2 + i % 2);
    CHECK_OK(MPI_File_close(&file));
    MPI_Type_free(&pair);
    MPI_Type_free(&stripe);
}

/* A datatype with gaps in memory, and another one in the file. */
static void gaps(const char *name)
{
    MPI_File file;
    MPI_Datatype in_memory, in_file;
    int lengths[2] = {1, 2}, places[2] = {1, 4}, sizes[2] = {4, 6}, part[2] = {2, 3}, starts[2] = {1, 2};
    int data[14], i;

    MPI_Type_indexed(2, lengths, places, MPI_INT, &in_memory);
    MPI_Type_commit(&in_memory);
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &in_file);
    MPI_Type_commit(&in_file);
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_set_size(file, 0));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, in_file, "native", MPI_INFO_NULL));
    for (i = 0; i < 14; i++)
        data[i] = i;
    CHECK_OK(MPI_File_write(file, data, 2, in_memory, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    memset(data, 255, sizeof data);
    CHECK_OK(MPI_File_read_at(file, 8, data, 9, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(data[0] == 1 && data[1] == 4 && data[2] == 5 && data[6] == 6 && data[7] == 9 && data[8] == 10);
    CHECK_OK(MPI_File_close(&file));
    MPI_Type_free(&in_memory);
    MPI_Type_free(&in_file);
}

static void wrong_views(const char *name)
{
    MPI_File file;
    MPI_Datatype three, back;
    int lengths[2] = {1, 1}, places[2] = {3, 0};

    MPI_Type_contiguous(3, MPI_BYTE, &three);
    MPI_Type_commit(&three);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &back);
    MPI_Type_commit(&back);
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK(MPI_File_set_view(file, 0, MPI_INT, three, "native", MPI_INFO_NULL) != MPI_SUCCESS);
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_INT, back, "native", MPI_INFO_NULL), MPI_ERR_IO);
    CHECK_ERROR(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "babylonian", MPI_INFO_NULL),
                MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_OK(MPI_File_close(&file));
    MPI_Type_free(&three);
    MPI_Type_free(&back);
}

int main(int argc, char **argv)
{
    const char *name;
    char own[PATH_MAX + 8];

    check_begin(&argc, &argv);
    name = file_name("views");
    stripes(name);
    snprintf(own, sizeof own, "%s-%d", name, check_rank);
    gaps(own);
    wrong_views(own);
    MPI_File_delete(own, MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    return check_end();
}
