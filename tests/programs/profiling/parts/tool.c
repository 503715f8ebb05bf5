/* A tool: counts receives, also those that other libraries do. */
#include <mpi.h>

static int receives;

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    receives++;
    return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int tool_receives(void)
{
    return receives;
}
