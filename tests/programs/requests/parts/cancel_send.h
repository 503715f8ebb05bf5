/* A send of which nobody receives the message is cancelled, whatever its mode and however the message travels: "either the send completes
 * normally, in which case the message sent was received at the destination process, or the send is successfully
 * cancelled" (MPI 5.0 section 3.8.4). Nobody receives it afterwards, and the room in an attached buffer is given back. A
 * send whose message was received before is not cancelled. */
#include "../../check.h"

#define KINDS 5

static void start(int kind, const int *value, int tag, MPI_Request *request)
{
    switch (kind) {
    case 0: MPI_Isend(value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, request); break;
    case 1: MPI_Issend(value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, request); break;
    case 2: MPI_Ibsend(value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, request); break;
    case 3: MPI_Send_init(value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, request); break;
    default: MPI_Bsend_init(value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, request);
    }
    if (kind >= 3)
        MPI_Start(request);
}

/* Cancels, waits, and says whether it was cancelled. */
static int cancel(int kind, MPI_Request *request, int twice)
{
    MPI_Status status;
    int flag = -1, done = 0;
    MPI_Cancel(request);
    if (twice)
        MPI_Cancel(request);
    if (kind % 2)
        MPI_Wait(request, &status);
    else
        while (!done)
            MPI_Test(request, &done, &status);
    MPI_Test_cancelled(&status, &flag);
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
    return flag;
}

int main(int argc, char **argv)
{
    char room[sizeof(int) + MPI_BSEND_OVERHEAD];
    int kind, value, token = 0;
    MPI_Request request;

    check_begin(&argc, &argv);
    if (check_rank == 0)
        MPI_Buffer_attach(room, sizeof room);
    for (kind = 0; kind < KINDS; kind++) {
        if (check_rank == 0) {
            void *detached;
            int size;
            value = 10 + kind;
            start(kind, &value, 0, &request);
            CHECK_INT(cancel(kind, &request, kind == 2), 1);
            /* It waits for nothing. */
            MPI_Buffer_detach(&detached, &size);
            MPI_Buffer_attach(room, sizeof room);
            MPI_Ssend(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
            value = 20 + kind;
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            start(kind, &value, 1, &request);
            MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_INT(cancel(kind, &request, kind == 3), 0);
        } else {
            MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_INT(value, 20 + kind);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
    }
    return check_end();
}
