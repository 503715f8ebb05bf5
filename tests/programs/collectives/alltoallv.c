/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Alltoallv and MPI_Ialltoallv: counts differ by pair, some are zero, blocks lie in reverse order (MPI 5.0 sections 6.8, 6.12.6). */
#include "../check.h"

#define SPACE 40000

/* How many elements rank `from` sends to rank `to`; symmetric if `in_place`, as then it must be. */
static int amount(int from, int to, int scale, int in_place)
{
    return (in_place ? from + to : 2 * from + to) % 4 * scale;
}

static void test(MPI_Comm comm, int rank, int size)
{
    static int out[SPACE], in[SPACE];
    static const int scales[] = {1, 1000};
    int send_counts[9], send_places[9], receive_counts[9], receive_places[9];

    for (int variant = 0; variant < 8; variant++) {
        int scale = scales[variant & 1], nonblocking = variant & 2, in_place = variant & 4;
        int wrong = 0, send_at = 0, receive_at = 0;
        MPI_Request request;

        memset(in, 0xff, sizeof in);
        for (int r = size - 1; r >= 0; r--) {
            send_counts[r] = amount(rank, r, scale, in_place);
            receive_counts[r] = amount(r, rank, scale, in_place);
            send_places[r] = send_at;
            receive_places[r] = receive_at;
            send_at += send_counts[r];
            receive_at += receive_counts[r] + 1;
            for (int i = 0; i < send_counts[r]; i++)
                *(in_place ? &in[receive_places[r] + i] : &out[send_places[r] + i]) =
                    rank * 100000 + r * 10000 + i;
        }
        const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
        if (nonblocking) {
            MPI_Ialltoallv(from, send_counts, send_places, MPI_INT, in, receive_counts, receive_places,
                           MPI_INT, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else
            MPI_Alltoallv(from, send_counts, send_places, MPI_INT, in, receive_counts, receive_places,
                          MPI_INT, comm);
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < receive_counts[r]; i++)
                wrong += in[receive_places[r] + i] != r * 100000 + rank * 10000 + i;
            wrong += in[receive_places[r] + receive_counts[r]] != -1;
        }
        CHECK_INT(wrong, 0);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
