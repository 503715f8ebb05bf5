/* smpi: platform parts/servers.toml */
/* smpi: expect-time 1.024000064 */
/* smpi: requires smpi */
/* Stripes of 1 MB on two servers: 50 MB to each, in 10 ms and 0.5 s; the answers take 2 ms and share the link of the
 * writer. By striping_unit one server gets 50 MB and the other one 50 MB as well, in stripes of 50 MB. */
#include "parts/costs.h"

#define SIZE 100000000

int main(int argc, char **argv)
{
    char *data = calloc(SIZE, 1);
    MPI_File file;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    file = costs_open(info);
    must(MPI_File_write(file, data, SIZE, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write");
    MPI_File_close(&file);
    MPI_Info_set(info, "striping_unit", "50000000");
    file = costs_open(info);
    must(MPI_File_write(file, data, SIZE, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write");
    must(MPI_File_close(&file) == MPI_SUCCESS, "close");
    MPI_Info_free(&info);
    MPI_Finalize();
    free(data);
    return 0;
}
