/* smpi: ranks 1 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* A parent polls for a message of the process that it spawns, and that one for an answer. */
#include <assert.h>
#include <mpi.h>

#ifdef MOST
#define GIVES_UP(polls) (++(polls) == MOST)
#else
#define GIVES_UP(polls) 0
#endif

static int poll_for(int source, MPI_Comm comm, int may_give_up)
{
    int flag = 0, polls = 0, value = -1;

    while (!flag && !(may_give_up && GIVES_UP(polls)))
        MPI_Iprobe(source, 0, comm, &flag, MPI_STATUS_IGNORE);
    assert(flag);
    MPI_Recv(&value, 1, MPI_INT, source, 0, comm, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv)
{
    int value = 5;
    MPI_Comm other;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    if (other == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
        value = poll_for(0, other, 0);
        MPI_Send(&value, 1, MPI_INT, 0, 0, other);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, other);
        assert(poll_for(0, other, 1) == 5);
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
