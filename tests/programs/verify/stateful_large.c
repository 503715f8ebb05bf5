/* A server for ever with much memory, of which each request changes little: a table, and a large block that comes and
   goes. What it has not changed tells no states apart, and what it changes is put back. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --reduction none --compare-states 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 19, PAGE = 512 };

static double table[CELLS];

static void serve(void) {
    MPI_Status status;
    double *block = malloc(sizeof table);
    if (!block)
        MPI_Abort(MPI_COMM_WORLD, 2);
    memset(block, 7, sizeof table);
    MPI_Recv(&block[5 * PAGE], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    int client = status.MPI_SOURCE;
    /* A cell of the client's own, far from those of others, goes round in 3. */
    double *cell = &table[CELLS / 4 * client + 77];
    *cell = *cell >= client + 2 ? client : *cell + 1;
    for (int other = 1; other < 3; other++) {
        double value = table[CELLS / 4 * other + 77];
        MC_assert(value >= other && value <= other + 2);
        MC_assert(table[CELLS / 4 * other + 78] == 0);
    }
    MC_assert(block[5 * PAGE] == client && table[CELLS - 1] == 3.5);
    free(block);
    MPI_Send(NULL, 0, MPI_INT, client, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int client = 1; client < 3; client++)
        table[CELLS / 4 * client + 77] = client;
    for (int i = CELLS - 3 * PAGE; i < CELLS; i++)
        table[i] = 3.5;
    while (rank == 0)
        serve();
    for (;;) {
        double value = rank;
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
