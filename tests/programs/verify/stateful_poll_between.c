/* Rank 0 polls for messages of rank 1, in each of eight ways, and calls something else between two polls. A poll that
   finds nothing leads back to a state that was there before; but there the message may as well be found. So nobody is
   stuck. */
/* smpi: ranks 2 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes deadlock non-termination livelock */
#include <mpi.h>

static int value, here;
static MPI_Request request, null;

static void call(int which) {
    int flag, rank;
    char name[MPI_MAX_PROCESSOR_NAME];
    switch (which) {
    case 0: MPI_Comm_rank(MPI_COMM_WORLD, &rank); break;
    case 1: MPI_Get_processor_name(name, &flag); break;
    case 2: MPI_Send(&here, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); break;
    default: MPI_Wait(&null, MPI_STATUS_IGNORE);
    }
}

static int poll(int how) {
    int flag = 0, index, count, indices[1];
    MPI_Message message;
    switch (how) {
    case 0: MPI_Test(&request, &flag, MPI_STATUS_IGNORE); break;
    case 1: MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE); break;
    case 2:
        MPI_Testsome(1, &request, &count, indices, MPI_STATUSES_IGNORE);
        flag = count == 1;
        break;
    case 3: MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE); break;
    case 4:
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        if (flag)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 5:
        MPI_Parrived(request, 0, &flag);
        if (flag) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        break;
    case 6:
        MPI_Iprobe(1, how, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (flag)
            MPI_Recv(&value, 1, MPI_INT, 1, how, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Improbe(1, how, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        if (flag)
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    return flag;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &here);
    request = null = MPI_REQUEST_NULL;
    for (int how = 0; how < 8; how++)
        for (int which = 0; which < 4; which++) {
            if (here == 1 && how == 5) {
                MPI_Psend_init(&value, 1, 1, MPI_INT, 0, how, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
                MPI_Start(&request);
                MPI_Pready(0, request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
            } else if (here == 1)
                MPI_Send(&value, 1, MPI_INT, 0, how, MPI_COMM_WORLD);
            else {
                if (how == 5) {
                    MPI_Precv_init(&value, 1, 1, MPI_INT, 1, how, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
                    MPI_Start(&request);
                } else if (how < 5)
                    MPI_Irecv(&value, 1, MPI_INT, 1, how, MPI_COMM_WORLD, &request);
                do
                    call(which);
                while (!poll(how));
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    MPI_Finalize();
    return 0;
}
