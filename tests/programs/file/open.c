/* smpi: ranks 4 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* Opening, closing and removing files, their size, and what is known of them (MPI 5.0 section 14.2). */
#include "file.h"

static void modes(const char *name)
{
    MPI_File file;
    int amode;

    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE, MPI_INFO_NULL, &file), MPI_ERR_AMODE);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL,
                           &file));
    CHECK_OK(MPI_File_get_amode(file, &amode));
    CHECK_INT(amode, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL);
    CHECK_OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL,
                              &file),
                MPI_ERR_FILE_EXISTS);
}

static void sizes(const char *name)
{
    MPI_File file;
    MPI_Offset size = -1;
    MPI_Status status;
    int data[4] = {1, 2, 3, 4};

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_set_size(file, 1000));
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_INT(size, 1000);
    CHECK_OK(MPI_File_preallocate(file, 5000));
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_INT(size, 5000);
    CHECK_OK(MPI_File_preallocate(file, 100));
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_INT(size, 5000);
    CHECK_OK(MPI_File_set_size(file, 8));
    MPI_Barrier(MPI_COMM_WORLD);
    /* Reading ends where the file ends. */
    CHECK_OK(MPI_File_read_at(file, 4, data, 4, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), 1);
    CHECK_INT(data[0], 0);
    CHECK_INT(data[1], 2);
    CHECK_ERROR(MPI_File_set_size(file, -1), MPI_ERR_ARG);
    CHECK_OK(MPI_File_close(&file));
}

static void permissions(const char *name)
{
    MPI_File file;
    int data = 0;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_File_read_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    CHECK_OK(MPI_File_close(&file));
}

static void groups_and_hints(const char *name)
{
    MPI_File file;
    MPI_Comm half;
    MPI_Group of_file, of_comm;
    MPI_Info info, found;
    char value[MPI_MAX_INFO_VAL + 1];
    int result, flag;

    MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, -check_rank, &half);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "1");
    /* Two openings of the same file, each by half of the ranks. */
    CHECK_OK(MPI_File_open(half, name, MPI_MODE_RDWR, info, &file));
    CHECK_OK(MPI_File_get_group(file, &of_file));
    MPI_Comm_group(half, &of_comm);
    MPI_Group_compare(of_file, of_comm, &result);
    CHECK_INT(result, MPI_IDENT);
    CHECK_OK(MPI_File_get_info(file, &found));
    MPI_Info_get(found, "cb_nodes", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "1") == 0);
    MPI_Info_free(&found);
    MPI_Info_free(&info);
    MPI_Group_free(&of_file);
    MPI_Group_free(&of_comm);
    MPI_Comm_free(&half);
    CHECK_OK(MPI_File_close(&file));
}

static void removal(const char *name)
{
    MPI_File file;

    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_ERROR(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

int main(int argc, char **argv)
{
    const char *name;

    check_begin(&argc, &argv);
    name = file_name("open");
    modes(name);
    sizes(name);
    permissions(name);
    groups_and_hints(name);
    removal(name);
    return check_end();
}
