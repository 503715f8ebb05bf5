/* A tool in C: counts what passes it on, and says so when MPI ends. It knows nothing of Fortran. */
#include <mpi.h>
#include <stdio.h>

static int sends, receives, levels, depth, deepest;

static void enter(void)
{
    if (++depth > deepest)
        deepest = depth;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    int code;

    enter();
    sends += count;
    code = PMPI_Send(buf, count, datatype, dest, tag, comm);
    depth--;
    return code;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int code;

    enter();
    receives += count;
    code = PMPI_Recv(buf, count, datatype, source, tag, comm, status);
    depth--;
    return code;
}

int MPI_Pcontrol(const int level, ...)
{
    levels += level;
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool of rank %d: sent %d, received %d, levels %d, depth %d\n", rank, sends, receives, levels, deepest);
    return PMPI_Finalize();
}
