/* smpi: ranks 9 */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* No rank leaves MPI_Barrier, or completes MPI_Ibarrier, before the last has entered (MPI 5.0 sections 6.3, 6.12.1). */
#include "../check.h"

#include <unistd.h>

static void blocking(MPI_Comm comm, int rank, int size)
{
    double entered, last;

    /* One rank comes late; nobody may leave before it has entered. */
    for (int late = 0; late < size; late++) {
        if (rank == late)
            usleep(1000);
        entered = MPI_Wtime();
        MPI_Barrier(comm);
        double left = MPI_Wtime();
        MPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
        CHECK(left >= last);
    }
}

static void nonblocking(MPI_Comm comm, int rank, int size)
{
    MPI_Request request;
    int flag = 1, token = 0;

    if (size == 1) {
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    if (rank == 0) { /* the late one: it enters when rank 1 has seen that the barrier is not complete */
        MPI_Recv(&token, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
        MPI_Ibarrier(comm, &request);
    } else {
        MPI_Ibarrier(comm, &request);
        if (rank == 1) {
            for (int i = 0; i < 10; i++) {
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                CHECK_INT(flag, 0);
            }
            MPI_Send(&token, 1, MPI_INT, 0, 0, comm);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(blocking);
    check_each_size(nonblocking);
    return check_end();
}
