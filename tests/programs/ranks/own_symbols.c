// smpi: ranks 3
// smpi: compile-args -rdynamic
// smpi: expect-stdout 0: the rank's own 1, libc's 1, name 1
// smpi: expect-stdout 1: the rank's own 1, libc's 1, name 1
// smpi: expect-stdout 2: the rank's own 1, libc's 1, name 1
/* dlsym finds the functions and variables of the rank's own image, dladdr its file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int exported_variable;
int exported_function(void);
int exported_function(void) { return exported_variable; }

int main(int argc, char **argv)
{
    int rank;
    Dl_info info = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exported_variable = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    void *self = dlopen(NULL, RTLD_NOW);
    int *variable = dlsym(RTLD_DEFAULT, "exported_variable");
    int (*function)(void);
    *(void **)&function = dlsym(self, "exported_function");
    size_t (*length)(const char *);
    *(void **)&length = dlsym(RTLD_DEFAULT, "strlen");
    int found = dladdr(&exported_variable, &info) && strstr(info.dli_fname, "program") != NULL;
    printf("%d: the rank's own %d, libc's %d, name %d\n", rank,
           variable == &exported_variable && function && function() == rank, length && length("abc") == 3, found);
    MPI_Finalize();
    return 0;
}
