/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A program that closes numbers that it does not know leaves the redirected streams of other ranks alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *name = "redirected_streams_kept.out";
    char text[16] = "";
    int rank, file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, 1);
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        int number;

        for (number = 100; number < 1024; number++)
            close(number);
        closefrom(100);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("kept\n");
        fflush(stdout);
        file = open(name, O_RDONLY);
        if (read(file, text, sizeof text - 1) < 0)
            perror("read");
        close(file);
        unlink(name);
        MPI_Send(text, sizeof text, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(text, sizeof text, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(strcmp(text, "kept\n") == 0 ? "PASS\n" : "FAIL: the file has \"%s\"\n", text);
    }
    MPI_Finalize();
    return 0;
}
