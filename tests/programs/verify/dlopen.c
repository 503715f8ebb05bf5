/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Ranks open a library that the program is not linked with, and each is told its own error: what the dynamic linker
   keeps stays when a rank is put back. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, got;
    char name[] = "libnowhere0.so";
    const char *error;
    void *handle;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    name[10] += rank;
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    handle = dlopen("libresolv.so.2", RTLD_NOW);
    if (!handle || !dlsym(handle, "ns_get16"))
        abort();
    if (dlopen(name, RTLD_NOW))
        abort();
    MPI_Barrier(MPI_COMM_WORLD);
    error = dlerror();
    if (!error || strncmp(error, name, strlen(name)) != 0)
        abort();
    dlclose(handle);
    MPI_Finalize();
    return 0;
}
