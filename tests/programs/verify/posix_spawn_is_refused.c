/* A program that starts another one cannot be put back to an earlier state: refused, with the rank and the place. */
/* smpi: ranks 2 */
/* smpi: smpirun-args --verify */
/* smpi: requires smpi */
/* smpi: compile-args -g */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains rank 0: posix_spawn() */
#include <mpi.h>
#include <spawn.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    char *words[] = {"true", 0};
    pid_t child;
    posix_spawn(&child, "/bin/true", 0, 0, words, 0);
    MPI_Finalize();
    return 0;
}
