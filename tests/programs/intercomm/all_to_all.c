/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Allgather(v) and alltoall(v, w) over an intercommunicator: each side gets the other side's data (MPI 5.0 sections 6.7, 6.8). */
#include "intercomm.h"

static void run(int nonblocking)
{
    int out[10], in[10], counts[5], places[5], byte_places[5], first = is_low ? local_size : 0;
    MPI_Datatype types[5];
    MPI_Request request;

#define DO(blocking_call, nonblocking_call)                                                      \
    do {                                                                                         \
        memset(in, 0xff, sizeof in);                                                             \
        if (nonblocking) {                                                                       \
            nonblocking_call;                                                                    \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                               \
        } else                                                                                   \
            blocking_call;                                                                       \
    } while (0)

    out[0] = check_rank, out[1] = -check_rank;
    DO(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, inter),
       MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, inter, &request));
    for (int r = 0; r < remote_size; r++)
        CHECK(in[2 * r] == first + r && in[2 * r + 1] == -(first + r));

    for (int r = 0; r < remote_size; r++) {
        counts[r] = r % 2 + 1;
        places[r] = 2 * (remote_size - 1 - r);
    }
    DO(MPI_Allgatherv(out, local_rank % 2 + 1, MPI_INT, in, counts, places, MPI_INT, inter),
       MPI_Iallgatherv(out, local_rank % 2 + 1, MPI_INT, in, counts, places, MPI_INT, inter, &request));
    for (int r = 0; r < remote_size; r++)
        CHECK(in[places[r]] == first + r && (r % 2 == 0 || in[places[r] + 1] == -(first + r)));

    for (int r = 0; r < remote_size; r++)
        out[r] = check_rank * 10 + r;
    DO(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter),
       MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter, &request));
    for (int r = 0; r < remote_size; r++)
        CHECK_INT(in[r], (first + r) * 10 + local_rank);

    /* Pairs whose ranks have an even sum exchange one element, the others none. */
    for (int r = 0; r < remote_size; r++) {
        counts[r] = (local_rank + r) % 2 == 0;
        places[r] = r;
        byte_places[r] = r * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    DO(MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, inter),
       MPI_Ialltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, inter, &request));
    for (int r = 0; r < remote_size; r++)
        CHECK_INT(in[r], counts[r] ? (first + r) * 10 + local_rank : -1);
    DO(MPI_Alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, inter),
       MPI_Ialltoallw(out, counts, byte_places, types, in, counts, byte_places, types, inter, &request));
    for (int r = 0; r < remote_size; r++)
        CHECK_INT(in[r], counts[r] ? (first + r) * 10 + local_rank : -1);
    /* One direction only. */
    DO(MPI_Allgather(out, is_low ? 1 : 0, MPI_INT, in, is_low ? 0 : 1, MPI_INT, inter),
       MPI_Iallgather(out, is_low ? 1 : 0, MPI_INT, in, is_low ? 0 : 1, MPI_INT, inter, &request));
    for (int r = 0; r < remote_size; r++)
        CHECK_INT(in[r], is_low ? -1 : (first + r) * 10);
}

static void test(void)
{
    run(0);
    run(1);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
