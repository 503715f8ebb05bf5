// smpi: ranks 3
// smpi: requires smpi
// smpi: expect-stdout 0: child ended with 40, system with 3
// smpi: expect-stdout 1: child ended with 41, system with 3
// smpi: expect-stdout 2: child ended with 42, system with 3
// smpi: expect-stdout from a program started by 0
// smpi: expect-stdout from a program started by 1
// smpi: expect-stdout from a program started by 2
/* fork with exec or _exit, and system: children are no part of the simulation, and the rank goes on. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, status = 0, code;
    char text[60];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pid_t child = fork();
    if (child == 0)
        _exit(40 + rank);
    waitpid(child, &status, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    code = system("exit 3");
    snprintf(text, sizeof text, "from a program started by %d", rank);
    child = fork();
    if (child == 0) {
        execlp("echo", "echo", text, (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    printf("%d: child ended with %d, system with %d\n", rank, WEXITSTATUS(status), WEXITSTATUS(code));
    MPI_Finalize();
    return 0;
}
