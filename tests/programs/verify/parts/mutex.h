/* Mutual exclusion by a coordinator, for ever: clients ask for the critical section, get it, and give it back. Each
 * client names what it does: rN, it has asked; csN, it is in the section.
 *
 * A biased coordinator forgets what client 1 asks for. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

enum { REQUEST, RELEASE, GRANT };

static void coordinate(int is_biased) {
    int queue[16] = {0}, waiting = 0, is_taken = 0;
    for (;;) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == RELEASE)
            is_taken = 0;
        else if (!is_biased || status.MPI_SOURCE != 1)
            queue[waiting++] = status.MPI_SOURCE;
        /* What is left over of the message would make states differ. */
        status = (MPI_Status){0};
        if (!is_taken && waiting > 0) {
            int next = queue[0];
            waiting--;
            for (int i = 0; i < 15; i++)
                queue[i] = i < waiting ? queue[i + 1] : 0;
            is_taken = 1;
            MPI_Send(NULL, 0, MPI_INT, next, GRANT, MPI_COMM_WORLD);
        }
    }
}

static void run(int argc, char **argv, int is_biased) {
    static int has_asked, is_inside;
    static char names[2][8];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        coordinate(is_biased);
    snprintf(names[0], sizeof names[0], "r%d", rank);
    snprintf(names[1], sizeof names[1], "cs%d", rank);
    MC_proposition(names[0], &has_asked);
    MC_proposition(names[1], &is_inside);
    for (;;) {
        has_asked = 1;
        MPI_Send(NULL, 0, MPI_INT, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        has_asked = 0;
        is_inside = 1;
        /* Others see it at this call. */
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        is_inside = 0;
        MPI_Send(NULL, 0, MPI_INT, 0, RELEASE, MPI_COMM_WORLD);
    }
}
