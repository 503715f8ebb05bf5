#define _GNU_SOURCE
/* exec by a rank would replace all ranks: the run ends with a message. In a child of fork it is what the child is for, and the
 * new program has the rank's environment. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: compile-args -g */
/* smpi: expect-exit 2 */
/* smpi: expect-stdout child of 0 */
/* smpi: expect-stdout child of 1 */
/* smpi: expect-stderr-contains rank 1: execlp() in main ( */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, status;
    char text[10];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sprintf(text, "%d", rank);
    setenv("OWN_RANK", text, 1);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "echo \"$0 $1 $2 $3 $4 $5 $6 $7 $OWN_RANK\" | tr -s ' ' | cut -d' ' -f 1-3", "child", "of", "", "",
              "", "", "", "", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        execlp("true", "true", (char *)NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
