/* smpi: ranks 64 */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* Small blocks that interleave are written in few large pieces by a collective call, whenever the ranks come to it.
 * The checker calls the system for itself. */
#include "file.h"

enum { BLOCK = 64, BLOCKS = 64 };

/* Calls of the system by which this process has written so far (proc(5)); -1 where nobody counts them. */
static long writes(void)
{
    FILE *counts = fopen("/proc/self/io", "r");
    char line[64];
    long number = -1;

    while (counts && fgets(line, sizeof line, counts))
        sscanf(line, "syscw: %ld", &number);
    if (counts)
        fclose(counts);
    return number;
}

int main(int argc, char **argv)
{
    MPI_Datatype block, filetype;
    MPI_File file;
    MPI_Status status;
    char data[BLOCK * BLOCKS], other;
    long before;
    int ranks;

    check_begin(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, file_name("few"), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, BLOCK * ranks, &filetype);
    MPI_Type_commit(&filetype);
    CHECK_OK(MPI_File_set_view(file, check_rank * BLOCK, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
    memset(data, check_rank, sizeof data);
    MPI_Barrier(MPI_COMM_WORLD);
    before = writes();
    /* One after the other. */
    if (check_rank > 0)
        MPI_Recv(&other, 1, MPI_BYTE, check_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (check_rank < ranks - 1)
        MPI_Send(data, 1, MPI_BYTE, check_rank + 1, 0, MPI_COMM_WORLD);
    CHECK_OK(MPI_File_write_all(file, data, sizeof data, MPI_BYTE, &status));
    CHECK_INT(file_count(&status, MPI_BYTE), (int)sizeof data);
    MPI_Barrier(MPI_COMM_WORLD);
    if (before >= 0 && check_rank == 0)
        CHECK_INT(writes() - before < ranks * BLOCKS / 4, 1);
    CHECK_OK(MPI_File_close(&file));
    MPI_Type_free(&block);
    MPI_Type_free(&filetype);
    return check_end();
}
