/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* Two copies of the program are spawned (MPI 5.0 section 11.8): they know their parents, have a communicator of their
   own, and can be merged with their parents; messages arrive on both communicators. */
#include "../check.h"

#include <string.h>

static void child(MPI_Comm parent, int argc, char **argv)
{
    int size, rank, remote, value = -1, sum;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm all;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(size == 2);
    MPI_Comm_remote_size(parent, &remote);
    CHECK(remote == 2);
    CHECK(argc == 3 && strcmp(argv[1], "a b") == 0 && strcmp(argv[2], "c") == 0);
    MPI_Comm_get_name(parent, name, &size);
    CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
    MPI_Recv(&value, 1, MPI_INT, rank, 3, parent, MPI_STATUS_IGNORE);
    CHECK(value == 100 + rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 1);
    MPI_Intercomm_merge(parent, 1, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == 6 && rank >= 2);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children, all;
    int rank, size, value, sum, codes[2] = {-1, -1};
    check_begin(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        child(parent, argc, argv);
        return check_end();
    }
    char first[] = "a b", second[] = "c";
    char *arguments[] = {first, second, NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_spawn(argv[0], rank == 1 ? arguments : MPI_ARGV_NULL, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &children, codes);
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
    MPI_Comm_size(children, &size);
    CHECK(size == 2);
    MPI_Comm_remote_size(children, &size);
    CHECK(size == 2);
    value = 100 + rank;
    MPI_Send(&value, 1, MPI_INT, rank, 3, children);
    MPI_Intercomm_merge(children, 0, &all);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == 6);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&children);
    CHECK(children == MPI_COMM_NULL);
    return check_end();
}
