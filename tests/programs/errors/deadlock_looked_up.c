/* A program that looks up the function that sends, so that nobody notes from where it calls: no line is told rather than another one,
 * and the report says what tells it. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains ; rank 1 has sent it one with tag 8 */
/* smpi: expect-stderr-contains   with --strict, smpirun also says where that was sent or received */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    send = (int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm))dlsym(RTLD_DEFAULT, "MPI_Send");
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
