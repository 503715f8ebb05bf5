/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Rput, Rget, Raccumulate and Rget_accumulate (MPI 5.0 §12.3.5): their requests are completed by all the calls that
 * complete requests, together with others, and freed.
 * MPICH 4.0.2 deviates: it takes no such request in MPI_Request_free. */
#include "../check.h"

#define COUNT 20000

static int *memory, out[COUNT], in[COUNT], result[COUNT];
static MPI_Win win;

static void each(int other)
{
    MPI_Request request;
    int flag = 0, seen = 0;

    MPI_Rput(out, COUNT, MPI_INT, other, 0, COUNT, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    out[0] = -5;
    MPI_Win_flush(other, win);
    MPI_Rget(in, COUNT, MPI_INT, other, 0, COUNT, MPI_INT, win, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK_INT(in[0], 100 * check_rank);
    CHECK_INT(in[COUNT - 1], 100 * check_rank + COUNT - 1);
    out[0] = 7;
    MPI_Raccumulate(out, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(other, win);
    MPI_Rget_accumulate(out, 1, MPI_INT, &seen, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_PROD, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(seen, 100 * check_rank + 7);
    MPI_Win_flush(other, win);
}

static void together(int other)
{
    MPI_Request requests[4];
    int index, received = 0, done = 0, value = 9;

    MPI_Irecv(&received, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Rget(in, COUNT, MPI_INT, other, 0, COUNT, MPI_INT, win, &requests[1]);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, result, 2, MPI_INT, other, 1, 2, MPI_INT, MPI_NO_OP, win, &requests[2]);
    MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[3]);
    MPI_Send(&value, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        done += 1 << index;
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    CHECK(done < 16);
    CHECK_INT(received, 9);
    CHECK_INT(in[0], (100 * check_rank + 7) * 7);
    CHECK_INT(result[0], 100 * check_rank + 1);
    MPI_Rput(&value, 1, MPI_INT, other, 5, 1, MPI_INT, win, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Win_flush(other, win);
    MPI_Get(in, 1, MPI_INT, other, 5, 1, MPI_INT, win);
    MPI_Win_flush(other, win);
    CHECK_INT(in[0], 9);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Win_allocate(sizeof out, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < COUNT; i++)
        out[i] = 100 * check_rank + i;
    MPI_Win_lock_all(0, win);
    each(1 - check_rank);
    together(1 - check_rank);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return check_end();
}
