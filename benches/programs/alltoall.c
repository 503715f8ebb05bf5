/* Every rank sends 1 KB to every rank, a number of times given as the argument. Measures N² flows. */
#include <mpi.h>
#include <stdlib.h>

#define BYTES 1024

int main(int argc, char **argv)
{
    int size, times = argc > 1 ? atoi(argv[1]) : 10;
    char *out, *in;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc(size, BYTES);
    in = calloc(size, BYTES);
    for (int i = 0; i < times; i++)
        MPI_Alltoall(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, MPI_COMM_WORLD);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
