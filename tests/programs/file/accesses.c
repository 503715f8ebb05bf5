/* smpi: ranks 4 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* All ways to move data: by offsets, individual and shared pointers; blocking, nonblocking, collective and split (MPI 5.0
 * section 14.4). Each rank writes in one way and reads the next rank's data in the other. */
#include "file.h"

enum { COUNT = 10 };

static int own[COUNT], next[COUNT];
static MPI_Status status;
static MPI_Request request;
static MPI_Offset here, there;

static void fill(int seed)
{
    int i;

    for (i = 0; i < COUNT; i++) {
        own[i] = 10000 * seed + 100 * check_rank + i;
        next[i] = -1;
    }
}

static void judge(int seed, int rank)
{
    int i;

    CHECK_INT(file_count(&status, MPI_INT), COUNT);
    for (i = 0; i < COUNT; i++)
        CHECK_INT(next[i], 10000 * seed + 100 * rank + i);
}

static void wait_for(MPI_Request *one)
{
    CHECK_OK(MPI_Wait(one, &status));
    CHECK_INT(file_count(&status, MPI_INT), COUNT);
}

static void by_offsets(MPI_File file)
{
    int rank = (check_rank + 1) % check_size;

    fill(1);
    CHECK_OK(MPI_File_write_at(file, here, own, COUNT, MPI_INT, &status));
    file_settle(file);
    CHECK_OK(MPI_File_read_at(file, there, next, COUNT, MPI_INT, &status));
    judge(1, rank);
    file_settle(file);
    fill(2);
    CHECK_OK(MPI_File_write_at_all(file, here, own, COUNT, MPI_INT, &status));
    file_settle(file);
    CHECK_OK(MPI_File_read_at_all(file, there, next, COUNT, MPI_INT, &status));
    judge(2, rank);
    file_settle(file);
    fill(3);
    CHECK_OK(MPI_File_iwrite_at(file, here, own, COUNT, MPI_INT, &request));
    wait_for(&request);
    file_settle(file);
    CHECK_OK(MPI_File_iread_at(file, there, next, COUNT, MPI_INT, &request));
    wait_for(&request);
    judge(3, rank);
    file_settle(file);
    fill(4);
    CHECK_OK(MPI_File_iwrite_at_all(file, here, own, COUNT, MPI_INT, &request));
    wait_for(&request);
    file_settle(file);
    CHECK_OK(MPI_File_iread_at_all(file, there, next, COUNT, MPI_INT, &request));
    wait_for(&request);
    judge(4, rank);
    file_settle(file);
    fill(5);
    CHECK_OK(MPI_File_write_at_all_begin(file, here, own, COUNT, MPI_INT));
    CHECK_OK(MPI_File_write_at_all_end(file, own, &status));
    CHECK_INT(file_count(&status, MPI_INT), COUNT);
    file_settle(file);
    CHECK_OK(MPI_File_read_at_all_begin(file, there, next, COUNT, MPI_INT));
    CHECK_OK(MPI_File_read_at_all_end(file, next, &status));
    judge(5, rank);
    file_settle(file);
}

static void by_own_pointer(MPI_File file)
{
    int rank = (check_rank + 1) % check_size;
    MPI_Offset offset;

    fill(6);
    MPI_File_seek(file, here, MPI_SEEK_SET);
    CHECK_OK(MPI_File_write(file, own, COUNT, MPI_INT, &status));
    CHECK_OK(MPI_File_get_position(file, &offset));
    CHECK_INT(offset, here + COUNT);
    file_settle(file);
    MPI_File_seek(file, there, MPI_SEEK_SET);
    CHECK_OK(MPI_File_read(file, next, COUNT, MPI_INT, &status));
    judge(6, rank);
    file_settle(file);
    fill(7);
    MPI_File_seek(file, here, MPI_SEEK_SET);
    CHECK_OK(MPI_File_write_all(file, own, COUNT, MPI_INT, &status));
    file_settle(file);
    MPI_File_seek(file, there, MPI_SEEK_SET);
    CHECK_OK(MPI_File_read_all(file, next, COUNT, MPI_INT, &status));
    judge(7, rank);
    file_settle(file);
    fill(8);
    MPI_File_seek(file, here, MPI_SEEK_SET);
    CHECK_OK(MPI_File_iwrite(file, own, COUNT, MPI_INT, &request));
    CHECK_OK(MPI_File_get_position(file, &offset));
    CHECK_INT(offset, here + COUNT);
    wait_for(&request);
    file_settle(file);
    MPI_File_seek(file, there, MPI_SEEK_SET);
    CHECK_OK(MPI_File_iread(file, next, COUNT, MPI_INT, &request));
    wait_for(&request);
    judge(8, rank);
    file_settle(file);
    fill(9);
    MPI_File_seek(file, here, MPI_SEEK_SET);
    CHECK_OK(MPI_File_iwrite_all(file, own, COUNT, MPI_INT, &request));
    wait_for(&request);
    file_settle(file);
    MPI_File_seek(file, there, MPI_SEEK_SET);
    CHECK_OK(MPI_File_iread_all(file, next, COUNT, MPI_INT, &request));
    wait_for(&request);
    judge(9, rank);
    file_settle(file);
    fill(10);
    MPI_File_seek(file, here, MPI_SEEK_SET);
    CHECK_OK(MPI_File_write_all_begin(file, own, COUNT, MPI_INT));
    CHECK_OK(MPI_File_write_all_end(file, own, &status));
    file_settle(file);
    MPI_File_seek(file, there, MPI_SEEK_SET);
    CHECK_OK(MPI_File_read_all_begin(file, next, COUNT, MPI_INT));
    CHECK_OK(MPI_File_read_all_end(file, next, &status));
    judge(10, rank);
    file_settle(file);
}

/* Whose data that is, by any rank: each has one block, and nobody's is there twice. */
static void judge_any(int seed)
{
    int mine = next[0] - 10000 * seed, sum = 0;

    CHECK_INT(file_count(&status, MPI_INT), COUNT);
    CHECK(mine % 100 == 0 && next[COUNT - 1] == next[0] + COUNT - 1);
    mine /= 100;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(sum, check_size * (check_size - 1) / 2);
}

static void by_shared_pointer(MPI_File file)
{
    MPI_Offset offset;

    fill(11);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_shared(file, own, COUNT, MPI_INT, &status));
    CHECK_INT(file_count(&status, MPI_INT), COUNT);
    file_settle(file);
    CHECK_OK(MPI_File_get_position_shared(file, &offset));
    CHECK_INT(offset, check_size * COUNT);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_shared(file, next, COUNT, MPI_INT, &status));
    judge_any(11);
    file_settle(file);
    fill(12);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iwrite_shared(file, own, COUNT, MPI_INT, &request));
    wait_for(&request);
    file_settle(file);
    CHECK_OK(MPI_File_seek_shared(file, -check_size * COUNT, MPI_SEEK_CUR));
    CHECK_OK(MPI_File_iread_shared(file, next, COUNT, MPI_INT, &request));
    wait_for(&request);
    judge_any(12);
    file_settle(file);
    fill(13);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_ordered(file, own, COUNT, MPI_INT, &status));
    file_settle(file);
    CHECK_OK(MPI_File_read_at(file, here, next, COUNT, MPI_INT, &status));
    judge(13, check_rank);
    memset(next, 0, sizeof next);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_ordered(file, next, COUNT, MPI_INT, &status));
    judge(13, check_rank);
    file_settle(file);
    fill(14);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_write_ordered_begin(file, own, COUNT, MPI_INT));
    CHECK_OK(MPI_File_write_ordered_end(file, own, &status));
    file_settle(file);
    CHECK_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_ordered_begin(file, next, COUNT, MPI_INT));
    CHECK_OK(MPI_File_read_ordered_end(file, next, &status));
    judge(14, check_rank);
    file_settle(file);
}

static void split_errors(MPI_File file)
{
    CHECK(MPI_File_read_all_end(file, next, &status) != MPI_SUCCESS);
    CHECK_OK(MPI_File_read_at_all_begin(file, there, next, COUNT, MPI_INT));
    CHECK(MPI_File_read_at_all_begin(file, there, next, COUNT, MPI_INT) != MPI_SUCCESS);
    CHECK_OK(MPI_File_read_at_all_end(file, next, &status));
}

int main(int argc, char **argv)
{
    MPI_File file;
    const char *name;
    int flag = -1;

    check_begin(&argc, &argv);
    name = file_name("accesses");
    here = check_rank * COUNT;
    there = (check_rank + 1) % check_size * COUNT;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_set_view(file, 20, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    by_offsets(file);
    by_own_pointer(file);
    by_shared_pointer(file);
    split_errors(file);
    CHECK_OK(MPI_File_get_atomicity(file, &flag));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_File_set_atomicity(file, 1));
    CHECK_OK(MPI_File_get_atomicity(file, &flag));
    CHECK(flag);
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
