/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: verify --reduction dpor */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-incomplete */
/* The same as race_file_not.c by single steps, which does not judge the order of accesses: the verdict says so. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Status status;
    MPI_Offset size;
    FILE *stream;
    int rank, who, value = -1, count, expected = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "/tmp/smpi-by-steps", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_get_size(file, &size);
    assert(size == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            /* The own pointer is where the execution has left it. */
            MPI_File_write(file, &who, 1, MPI_INT, MPI_STATUS_IGNORE);
            expected = 10 * expected + who;
        }
        assert(expected == 12 || expected == 21);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(&expected, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, 4, &value, 1, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    assert(count == 1 && value == expected % 10);
    /* A stream finds it, and so does a call of the system. */
    stream = fopen("/tmp/smpi-by-steps", "r");
    assert(stream != NULL);
    fclose(stream);
    assert(syscall(SYS_faccessat, AT_FDCWD, "/tmp/smpi-by-steps", F_OK) == 0);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
