/* A master gives two tasks to two workers, who ask for tasks until they are told to stop: when it has counted two
   results. Which results count, the program that includes this says. */
#include <mpi.h>

enum { ASK, RESULT, TASK, LATER, STOP };

static void master(void) {
    int given = 0, done = 0, last = 0;
    while (done < 2) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == RESULT) {
            done += counts(status.MPI_SOURCE, last);
            last = status.MPI_SOURCE;
        } else if (given < 2) {
            given++;
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
        } else {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, LATER, MPI_COMM_WORLD);
        }
    }
    for (int worker = 1; worker <= 2; worker++) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
        MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
    }
}

static void worker(void) {
    for (;;) {
        MPI_Status status;
        MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        if (status.MPI_TAG == TASK)
            MPI_Send(NULL, 0, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        master();
    else
        worker();
    MPI_Finalize();
}
