// smpi: ranks 2
// smpi: requires smpi
// smpi: timeout 20
// smpi: expect-stdout 0: child ended with 2
// smpi: expect-stdout 1: child ended with 2
// smpi: expect-stderr-contains MPI_Barrier: called in a child of fork(), which is no rank of the simulation
/* A child of fork that calls MPI is stopped with a message instead of hanging. */
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pid_t child = fork();
    if (child == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("%d: child ended with %d\n", rank, WEXITSTATUS(status));
    MPI_Finalize();
    return 0;
}
