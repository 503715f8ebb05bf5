/* smpi: ranks 2 */
/* smpi: smpirun-args -map */
/* smpi: expect-stdout [rank 0] -> node-0 */
/* smpi: expect-stdout [rank 1] -> node-1 */
/* smpi: expect-stdout parent node-1, child node-1 */
/* smpi: requires smpi */
/*
 * With the info key host=localhost, as programs for other MPIs have it, ranks
 * are spawned on the host of the rank that spawns them.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char own[MPI_MAX_PROCESSOR_NAME], of_child[MPI_MAX_PROCESSOR_NAME];
    MPI_Comm parent, child;
    MPI_Info info;
    int length, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(own, &length);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Send(own, sizeof own, MPI_CHAR, 1, 0, parent);
        MPI_Comm_disconnect(&parent);
    } else {
        MPI_Info_create(&info);
        MPI_Info_set(info, "host", "localhost");
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, info, 1, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
        MPI_Info_free(&info);
        if (rank == 1) {
            MPI_Recv(of_child, sizeof of_child, MPI_CHAR, 0, 0, child, MPI_STATUS_IGNORE);
            printf("parent %s, child %s\n", own, of_child);
        }
        MPI_Comm_disconnect(&child);
    }
    MPI_Finalize();
    return 0;
}
