/* Counts sends and reductions of a rank in its global variables, and prints the counts when the rank finalizes. */
#include <mpi.h>
#include <stdio.h>

static int sends, bytes, reductions;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int size;

    PMPI_Type_size(type, &size);
    sends++;
    bytes += count * size;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    reductions++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d: %d sends, %d bytes, %d allreduce\n", rank, sends, bytes, reductions);
    return PMPI_Finalize();
}
