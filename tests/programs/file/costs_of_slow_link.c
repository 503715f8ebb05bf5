/* smpi: platform parts/slow.toml */
/* smpi: expect-time 1.0020032 */
/* smpi: requires smpi */
/* A reader behind a slow link: 1 ms and 16 bytes for the request, 1 ms and 10,000,016 bytes at 10 MB/s for the data. The
 * disk has done its part long before. */
#include "parts/costs.h"

#define SIZE 10000000

int main(int argc, char **argv)
{
    char *data = calloc(SIZE, 1);
    MPI_File file;
    MPI_Status status;
    int count;

    MPI_Init(&argc, &argv);
    file = costs_open(MPI_INFO_NULL);
    /* Zeros, which nobody has to write. */
    MPI_File_set_size(file, SIZE);
    MPI_File_read(file, data, SIZE, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    must(count == SIZE, "all of it is read");
    must(MPI_File_close(&file) == MPI_SUCCESS, "close");
    MPI_Finalize();
    free(data);
    return 0;
}
