/* A tool with wrappers for C and for Fortran, both over the profiling names. */
#include <mpi.h>
#include <stdio.h>

static int sends, through_fortran;

void pmpi_send_(void *buf, int *count, int *datatype, int *dest, int *tag, int *comm, int *ierror);

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

void mpi_send_(void *buf, int *count, int *datatype, int *dest, int *tag, int *comm, int *ierror)
{
    sends++;
    through_fortran++;
    pmpi_send_(buf, count, datatype, dest, tag, comm, ierror);
}

int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool of rank %d: %d send, through Fortran %d\n", rank, sends, through_fortran);
    return PMPI_Finalize();
}
