/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: compile-args -g */
/* smpi: expect-pass */
/* smpi: twice */
/* smpi: expect-stderr-contains smpirun: 4 ranks at */
/* smpi: expect-stderr-contains , 25.0 % done: */
/* smpi: expect-stderr-contains rank 0: busy in MPI_Send */
/* smpi: expect-stderr-contains rank 1: busy in MPI_Recv */
/* smpi: expect-stderr-contains ranks 2-3: in MPI_Barrier, waiting for ranks 0,1 to call MPI_Barrier (collective 1 of its communicator) */
/* smpi: expect-stderr-contains question.c:46 */
/* smpi: expect-stderr-contains question.c:49 */
/* SIGUSR1 from outside asks what the ranks do. The answer comes when the rank that runs gives control back, and the run
 * goes on as if nobody had asked. */
#include <mpi.h>
#include <signal.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void ask(void)
{
    pid_t child = fork();
    if (child == 0) {
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    enum { COUNT = 1 << 20 };
    static char data[COUNT];
    int rank, value = 3;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    smpi_progress(rank == 1 ? 0.25 : rank == 2 ? -3 : 0.5);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ask();
        MPI_Send(data, COUNT, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(data, COUNT, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf(value == 3 ? "PASS\n" : "FAIL\n");
    MPI_Finalize();
    return 0;
}
