/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Communication with MPI_PROC_NULL returns at once and changes no buffer (MPI 5.0 section 3.11).
 * MPICH 4.0.2 deviates: nonblocking and persistent receives give other sources and tags. */
#include "../check.h"

static void check_status(const MPI_Status *status)
{
    int length = -1;
    CHECK_INT(status->MPI_SOURCE, MPI_PROC_NULL);
    CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(status, MPI_INT, &length);
    CHECK_INT(length, 0);
}

int main(int argc, char **argv)
{
    int value = 5, flag = 0;
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;

    check_begin(&argc, &argv);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    check_status(&status);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, &status);
    CHECK_INT(flag, 1);
    check_status(&status);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    check_status(&status);
    MPI_Request_free(&request);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                         &status);
    check_status(&status);
    MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    check_status(&status);
    flag = 0;
    MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
    CHECK_INT(flag, 1);
    check_status(&status);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    check_status(&status);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL);
    check_status(&status);
    flag = 0;
    MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK_INT(flag, 1);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    check_status(&status);
    CHECK_INT(value, 5);
    return check_end();
}
