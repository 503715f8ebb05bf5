/* smpi: ranks 4 */
/* smpi: platform parts/servers.toml */
/* smpi: expect-pass */
/* smpi: smpirun-args --cfg=smpi/wtime:0 */
/* smpi: requires smpi */
/* smpi: verified exit-code */
/* A collective write of 10 MB by each of four ranks, to one server. Without hints all write at the same time: 10 ms, 40 MB
 * at 100 MB/s, answers of 2 ms. With cb_nodes = 2 the first rank gets the second one's data in 2 ms and 10,000,016 bytes
 * at 1 GB/s, the second rank that of the other two in 2 ms and twice the bytes; then each of the two writes 20 MB. The
 * disk begins with the first at 22.000016 ms, is never idle, and has written all 0.4 s later. With cb_buffer_size of 10 MB
 * and cb_nodes = 1, each piece takes 2 ms and 10.000016 ms to come, but for the first one, then 10 ms, 0.1 s and 2.000016 ms. */
#include "file.h"
#include <math.h>

#define SIZE 10000000

static void writes(MPI_Comm comm, const char *keys[][2], double expected)
{
    static char data[SIZE];
    double took;
    MPI_File file;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "striping_factor", "1");
    for (; (*keys)[0]; keys++)
        MPI_Info_set(info, (*keys)[0], (*keys)[1]);
    CHECK_OK(MPI_File_open(comm, file_name("phases"), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info,
                           &file));
    MPI_Info_free(&info);
    MPI_Barrier(comm);
    took = -MPI_Wtime();
    CHECK_OK(MPI_File_write_at_all(file, (MPI_Offset)check_rank * SIZE, data, SIZE, MPI_BYTE, MPI_STATUS_IGNORE));
    took += MPI_Wtime();
    if (fabs(took - expected) > 1e-6) {
        printf("FAIL rank %d: %.9f s, expected %.9f s\n", check_rank, took, expected);
        check_failures++;
    }
    CHECK_OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    const char *alone[][2] = {{NULL}};
    const char *two[][2] = {{"cb_nodes", "2"}, {"cb_buffer_size", "20000000"}, {NULL}};
    const char *pieces[][2] = {{"cb_nodes", "1"}, {"cb_buffer_size", "10000000"}, {NULL}};

    check_begin(&argc, &argv);
    writes(MPI_COMM_WORLD, alone, 0.412);
    writes(MPI_COMM_WORLD, two, 0.424);
    writes(MPI_COMM_WORLD, pieces, 0.112 * 4 + 0.012 * 3);
    return check_end();
}
