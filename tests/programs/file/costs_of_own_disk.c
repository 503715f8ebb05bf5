/* smpi: platform parts/disks.toml */
/* smpi: expect-time 1.69 */
/* smpi: smpirun-args --cfg=smpi/wtime:0 */
/* smpi: requires smpi */
/* smpi: verified exit-code */
/* A disk of the own host: 10 ms and 100 MB at 100 MB/s, 10 ms and 100 MB at 200 MB/s. What is beyond the end is not
 * read. 5 MB and 10 MB that are written at the same time share the disk: 10 ms, 5 MB each at 50 MB/s, and 5 MB at
 * 100 MB/s; the program computes meanwhile. Together 1.01 + 2 * 0.26 + 0.16 s. */
#include "parts/costs.h"
#include <smpi/smpi.h>

#define SIZE 100000000

int main(int argc, char **argv)
{
    char *data = calloc(SIZE, 1);
    MPI_File file;
    MPI_Request requests[2];
    MPI_Status status;
    int count;
    double begin;

    MPI_Init(&argc, &argv);
    file = costs_open(MPI_INFO_NULL);
    MPI_File_write_at(file, 0, data, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
    must(MPI_Wtime() > 1.00999 && MPI_Wtime() < 1.01001, "the first write takes 1.01 s");
    MPI_File_read_at(file, SIZE / 2, data, SIZE, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    must(count == SIZE / 2, "half of it is there");
    MPI_File_read_at(file, 0, data, SIZE / 2, MPI_BYTE, MPI_STATUS_IGNORE);
    begin = MPI_Wtime();
    MPI_File_iwrite_at(file, 0, data, SIZE / 20, MPI_BYTE, &requests[0]);
    MPI_File_iwrite_at(file, SIZE / 20, data, SIZE / 10, MPI_BYTE, &requests[1]);
    smpi_execute_flops(2e7);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    must(MPI_Wtime() - begin > 0.15999 && MPI_Wtime() - begin < 0.16001, "both writes take 0.16 s");
    must(MPI_File_close(&file) == MPI_SUCCESS, "close");
    MPI_Finalize();
    free(data);
    return 0;
}
