/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: library parts/crashes.c */
/* smpi: compile-args -g */
/* smpi: expect-exit 139 */
/* smpi: expect-stderr-contains rank 1: SIGSEGV */
/* smpi: expect-stderr-contains crashes.c:5 */
/* A crash in a private library is located in its source. */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void write_to(int *where);

int main(void)
{
    int rank, good;
    Dl_info info;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!dladdr((void *)write_to, &info) || !strstr(info.dli_fname, "libpart.so"))
        printf("FAIL dladdr\n");
    if (dlsym(RTLD_DEFAULT, "write_to") != (void *)write_to)
        printf("FAIL dlsym\n");
    void *handle = dlopen("libpart.so", RTLD_NOW);
    if (handle == NULL || dlsym(handle, "write_to") != (void *)write_to || dlclose(handle))
        printf("FAIL dlopen\n");
    MPI_Barrier(MPI_COMM_WORLD);
    write_to(rank == 1 ? NULL : &good);
    MPI_Finalize();
    return 0;
}
