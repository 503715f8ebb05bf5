/* smpi: verify */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains through the argument ierror */
/* smpi: requires smpi */
/*
 * What a call of Fortran does that leaves ierror out, where no interface says
 * that it is there (mpif.h): the entry point finds any number in its place.
 */
#include <mpi.h>
#include <stdint.h>

void mpi_barrier_(MPI_Fint *comm, MPI_Fint *ierror);

int main(int argc, char **argv)
{
    MPI_Fint world;

    MPI_Init(&argc, &argv);
    world = MPI_Comm_c2f(MPI_COMM_WORLD);
    mpi_barrier_(&world, (MPI_Fint *)(intptr_t)64);
    MPI_Finalize();
    return 0;
}
