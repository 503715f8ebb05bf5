/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/collective-mismatch */
/* smpi: expect-occurrences 144 */
/* Two ranks call different collective operations in the same place of a communicator; calls that make communicators are
   collective operations like others (MPI 5.0 section 6.1, 7.4). Every pair is found, in both modes: each execution takes one. */
#include <mpi.h>
#include <smpi/smpi.h>

enum { KINDS = 9 };

static void call(int kind, int rank) {
    int data = rank, all[2], period = 0, two = 2;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group;
    switch (kind) {
    case 0: MPI_Barrier(MPI_COMM_WORLD); break;
    case 1: MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD); break;
    case 2: MPI_Allgather(&data, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD); break;
    case 3: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    case 4: MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm); break;
    case 5: MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm); break;
    case 6: MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &period, 0, &comm); break;
    case 7:
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
        MPI_Group_free(&group);
        break;
    default: MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm); break;
    }
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
    int rank, pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pair = MC_random(0, KINDS * KINDS - 1);
        MPI_Ssend(&pair, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&pair, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    call(rank == 0 ? pair / KINDS : pair % KINDS, rank);
    MPI_Finalize();
    return 0;
}
