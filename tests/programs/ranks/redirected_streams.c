/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: twice */
/* smpi: expect-stdout rank 0 prints */
/* smpi: expect-stdout rank 0 prints again */
/* smpi: expect-stdout rank 1 prints again */
/* smpi: expect-stdout rank 2 is told in a file */
/* smpi: expect-stdout rank 3 reads 42 43, a program 42, a child 42 */
/* smpi: expect-stderr-contains stderr of rank 0 */
/* A rank that redirects or closes a standard stream does so for itself: dup2 and back, freopen, an assignment to
   stdout, close and open (POSIX open: the lowest number that is free). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, saved = -1, file, one = 0, two = 0, program = 0, child = 0;
    char name[64], line[64] = "";
    FILE *own, *before = stdout;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/redirected_streams.%d.%d", (int)getppid(), rank);
    if (rank == 1) {
        saved = dup(1);
        file = open("/dev/null", O_WRONLY);
        dup2(file, 1);
        close(file);
    }
    if (rank == 2 && freopen(name, "w+", stdout) != before)
        abort();
    if (rank == 3) {
        file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
        if (write(file, "42 43\n", 6) != 6)
            abort();
        close(file);
        close(0);
        if (open(name, O_RDONLY) != 0)
            abort();
        stdout = fopen("/dev/null", "w");
        fclose(stderr);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 3)
        printf("rank %d prints\n", rank);
    fprintf(stderr, "stderr of rank %d\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        dup2(saved, 1);
        close(saved);
    }
    if (rank == 2) {
        fflush(stdout);
        own = fopen(name, "r");
        if (!own || !fgets(line, sizeof line, own) || strcmp(line, "rank 2 prints\n") != 0)
            abort();
        fclose(own);
        dup2(2, 1);
        if (write(1, "", 0) != 0)
            abort();
        freopen("/dev/null", "w", stdout);
        dprintf(1, "nobody reads this\n");
    }
    if (rank == 3) {
        printf("nobody reads this\n");
        fclose(stdout);
        stdout = before;
        if (scanf("%d %d", &one, &two) != 2)
            abort();
        /* Programs and children have the rank's streams. */
        lseek(0, 0, SEEK_SET);
        program = system("read a b; exit $a");
        lseek(0, 0, SEEK_SET);
        if (fork() == 0) {
            char digits[3] = "";
            _exit(read(0, digits, 2) == 2 ? atoi(digits) : 1);
        }
        wait(&child);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2)
        printf("rank %d prints again\n", rank);
    if (rank == 3)
        printf("rank 3 reads %d %d, a program %d, a child %d\n", one, two, WEXITSTATUS(program), WEXITSTATUS(child));
    if (rank == 2)
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        dprintf(1, "rank %d is told in a file\n", 2);
    }
    unlink(name);
    MPI_Finalize();
    return 0;
}
