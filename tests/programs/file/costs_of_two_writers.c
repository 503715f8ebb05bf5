/* smpi: ranks 2 */
/* smpi: platform parts/servers.toml */
/* smpi: expect-time 1.012000032 */
/* smpi: requires smpi */
/* Two writers share the disk of one server (striping_factor): 10 ms, and 50 MB each at 50 MB/s, while the data comes.
 * The answers, 16 bytes each, take 2 ms and share the server's link of 1 GB/s. */
#include "parts/costs.h"

#define SIZE 50000000

int main(int argc, char **argv)
{
    char *data = calloc(SIZE, 1);
    MPI_File file;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "striping_factor", "1");
    file = costs_open(info);
    must(MPI_File_write(file, data, SIZE, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write");
    must(MPI_File_close(&file) == MPI_SUCCESS, "close");
    MPI_Info_free(&info);
    MPI_Finalize();
    free(data);
    return 0;
}
