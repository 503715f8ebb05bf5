/* A rank that leaves a collective operation early can be told from one that waits: rank 0 calls it and then sends to 1;
   rank 1 receives from anybody before and after it; rank 2 sends to 1 and then calls it. If rank 0 leaves early, rank 1 may
   receive from rank 0 first, though rank 2 has not called yet. Each such operation doubles the number of executions. */
#include <mpi.h>
#include <stddef.h>

static int rank, turn;

static void start(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void send_turn(void) { MPI_Send(&rank, 1, MPI_INT, 1, turn, MPI_COMM_WORLD); }

static int receive_turn(void) {
    int from;
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return from;
}

/* Rank 0 may leave early. */
#define EARLY(operation)                                                                                                  \
    do {                                                                                                                   \
        if (rank == 2) send_turn();                                                                                        \
        if (rank == 1) receive_turn();                                                                                     \
        operation;                                                                                                         \
        if (rank == 0) send_turn();                                                                                        \
        if (rank == 1) receive_turn();                                                                                     \
        turn++;                                                                                                            \
        MPI_Barrier(MPI_COMM_WORLD);                                                                                       \
    } while (0)

/* Rank 0 needs something of rank 1 or 2: the message of rank 2 is the first one always. */
#define MUST_WAIT(operation)                                                                                               \
    do {                                                                                                                   \
        if (rank == 2) send_turn();                                                                                        \
        if (rank == 1 && receive_turn() != 2) MPI_Abort(MPI_COMM_WORLD, 1);                                                \
        operation;                                                                                                         \
        if (rank == 0) send_turn();                                                                                        \
        if (rank == 1) receive_turn();                                                                                     \
        turn++;                                                                                                            \
        MPI_Barrier(MPI_COMM_WORLD);                                                                                       \
    } while (0)
