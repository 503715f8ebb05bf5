/* Ranks that wait for what other calls have started: a deadlock names these, and what is nearly it. Of many ranks, those are told
 * of for which others wait. */
/* smpi: ranks 60 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains MPI_Waitall waits for a message from rank 1 with tag 7 in main ( */
/* smpi: expect-stderr-contains deadlock_started.c:33), started by the call at  */
/* smpi: expect-stderr-contains deadlock_started.c:32; rank 1 has sent it one with tag 9 ( */
/* smpi: expect-stderr-contains deadlock_started.c:37) */
/* smpi: expect-stderr-contains rank   40  MPI_Recv waits for a message from rank 41 with any tag in main ( */
/* smpi: expect-stderr-contains deadlock_started.c:40); rank 41 has sent rank 42 one with tag 5 ( */
/* smpi: expect-stderr-contains deadlock_started.c:42) */
/* smpi: expect-stderr-contains MPI_Barrier waits for ranks 2,40 to call MPI_Barrier (collective 0 of all of them) in main */
/* smpi: expect-stderr-contains … and 43 more ranks */
/* smpi: expect-stderr-contains cycle: rank 1 → rank 2 → rank 1 */
/* smpi: expect-stderr-contains 1 rank has ended already */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    MPI_Comm all;
    int rank, one = 0, two = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 59, 0, &all);
    MPI_Comm_set_name(all, "all of them");
    if (rank == 2) {
        MPI_Irecv(&one, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&two, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 0) {
        MPI_Send(&one, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Isend(&one, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else if (rank == 40) {
        MPI_Recv(&one, 1, MPI_INT, 41, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 41) {
        MPI_Send(&one, 1, MPI_INT, 42, 5, MPI_COMM_WORLD);
    }
    MPI_Barrier(all);
    MPI_Comm_free(&all);
    MPI_Finalize();
    return 0;
}
