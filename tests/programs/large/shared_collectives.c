/* smpi: ranks 8 */
/* smpi: requires smpi */
/* smpi: smpirun-args --cfg=smpi/wtime:0 */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* Collective operations on memory that ranks share touch none of it, and have no copies of it on the way: with 4 MB
 * for each of 8 ranks the process grows by less than 16 MB, and not by 32 or more. Only private memory has what was sent. */
#include "../check.h"
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4 << 20, MOST_KB = 16 << 10 };

/* Of the process: getrusage tells a rank nothing of it. */
static long peak_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld kB", &kb) == 1)
            break;
    if (status)
        fclose(status);
    return kb;
}

int main(int argc, char **argv)
{
    int one = 1, all = 0;
    check_begin(&argc, &argv);
    char *from = SMPI_SHARED_MALLOC(SIZE);
    char *to = SMPI_SHARED_MALLOC((size_t)SIZE * check_size);
    long before = peak_kb();

    CHECK_OK(MPI_Gather(from, SIZE, MPI_CHAR, to, SIZE, MPI_CHAR, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Allgather(from, SIZE, MPI_CHAR, to, SIZE, MPI_CHAR, MPI_COMM_WORLD));
    CHECK_OK(MPI_Scatter(to, SIZE, MPI_CHAR, from, SIZE, MPI_CHAR, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Bcast(to, SIZE, MPI_CHAR, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Alltoall(to, SIZE / check_size, MPI_CHAR, from, SIZE / check_size, MPI_CHAR, MPI_COMM_WORLD));
    CHECK_OK(MPI_Allreduce(from, to, SIZE / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_OK(MPI_Reduce(from, to, SIZE / 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Reduce_scatter_block(to, from, SIZE / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_OK(MPI_Scan(from, to, SIZE / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_OK(MPI_Sendrecv(from, SIZE, MPI_CHAR, (check_rank + 1) % check_size, 0, to, SIZE, MPI_CHAR,
                          (check_rank + check_size - 1) % check_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(before > 0 && peak_kb() - before < MOST_KB);

    CHECK_OK(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(all, check_size);
    SMPI_SHARED_FREE(from);
    SMPI_SHARED_FREE(to);

    /* Memory that comes to lie where it was is private. */
    from = calloc(SIZE, 1), to = calloc(SIZE, 1);
    memset(from, 1 + check_rank, 1024);
    CHECK_OK(MPI_Sendrecv(from, 1024, MPI_CHAR, (check_rank + 1) % check_size, 0, to, 1024, MPI_CHAR,
                          (check_rank + check_size - 1) % check_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(to[1023], 1 + (check_rank + check_size - 1) % check_size);
    free(from);
    free(to);
    return check_end();
}
