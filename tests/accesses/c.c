/* Accesses to buffers that belong to MPI, one on each line that says "race". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 64 };

struct block {
    int values[COUNT];
};

static int sum(const int *values, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        total += values[i]; /* race */
    }
    return total;
}

int main(int argc, char **argv)
{
    int rank, total = 0, scalar = 0;
    int local[COUNT] = {0}, other[COUNT] = {0};
    static int fixed[COUNT];
    struct block whole = {{0}}, copy = {{0}};
    MPI_Request requests[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(local, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(fixed, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(&whole, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Irecv(&scalar, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[3]);
        MPI_Isend(other, COUNT, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[4]);
        total += local[2];                                         /* race */
        total += fixed[2];                                         /* race */
        copy = whole;                                              /* race */
        total += scalar;                                           /* race */
        other[3] = 1;                                              /* race */
        memset(other, 0, 5 * sizeof(int));                         /* race */
        memset(other, 0, sizeof other);                            /* race */
        memcpy(copy.values, local, 7 * sizeof(int));               /* race */
        memcpy(copy.values, local, sizeof local);                  /* race */
        memmove(other + 1, other, 40);                             /* race */
        total += memcmp(copy.values, local, 16) != 0;              /* race */
        total += sum(local, COUNT);
        MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    } else {
        for (int i = 0; i < 4; i++) {
            MPI_Send(local, i == 3 ? 1 : COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(other, COUNT, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return total + copy.values[3] == 12345;
}
