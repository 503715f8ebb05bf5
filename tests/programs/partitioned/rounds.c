/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: shuffled */
/* Partitions made ready in any order, one by one, as ranges and as lists; the receiver cuts the data in its own way; the
 * same requests for several rounds (MPI 5.0 §4.2). */
#include "../check.h"

enum { ITEMS = 24, ROUNDS = 3 };

static void send_round(MPI_Request request, int *data, int partitions, int round)
{
    int order[ITEMS];
    int each = ITEMS / partitions;

    CHECK_OK(MPI_Start(&request));
    for (int i = 0; i < partitions; i++) {
        order[i] = partitions - 1 - i;
        for (int j = 0; j < each; j++)
            data[order[i] * each + j] = 1000 * round + order[i] * each + j;
        if (round == 0)
            CHECK_OK(MPI_Pready(order[i], request));
    }
    if (round == 1) {
        CHECK_OK(MPI_Pready_range(partitions / 2, partitions - 1, request));
        CHECK_OK(MPI_Pready_range(0, partitions / 2 - 1, request));
    }
    if (round == 2)
        CHECK_OK(MPI_Pready_list(partitions, order, request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(request != MPI_REQUEST_NULL);
}

static void receive_round(MPI_Request request, int *data, int partitions, int round)
{
    MPI_Status status;
    int count, flag;

    for (int i = 0; i < ITEMS; i++)
        data[i] = -1;
    CHECK_OK(MPI_Start(&request));
    if (round == 1) {
        /* Every partition is there at some time, and then its data is. */
        for (int i = 0; i < partitions; i++) {
            int first = i * (ITEMS / partitions);
            do
                CHECK_OK(MPI_Parrived(request, i, &flag));
            while (!flag);
            CHECK_INT(data[first], 1000 * round + first);
            CHECK_OK(MPI_Parrived(request, i, &flag));
            CHECK_INT(flag, 1);
        }
    }
    if (round == 2)
        do
            CHECK_OK(MPI_Test(&request, &flag, &status));
        while (!flag);
    else
        CHECK_OK(MPI_Wait(&request, &status));
    CHECK_INT(status.MPI_SOURCE, 0);
    CHECK_INT(status.MPI_TAG, 7);
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        CHECK_INT(data[i], 1000 * round + i);
    /* Of an inactive request everything has arrived. */
    CHECK_OK(MPI_Parrived(request, 0, &flag));
    CHECK_INT(flag, 1);
}

int main(int argc, char **argv)
{
    const int cuts[][2] = { { 4, 4 }, { 6, 2 }, { 2, 6 }, { 4, 3 }, { 3, 8 }, { 24, 1 }, { 2, 24 } };

    check_begin(&argc, &argv);
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        int data[ITEMS];
        MPI_Request request;
        int partitions = cuts[i][check_rank];

        if (check_rank == 0)
            CHECK_OK(MPI_Psend_init(data, partitions, ITEMS / partitions, MPI_INT, 1, 7, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &request));
        else
            CHECK_OK(MPI_Precv_init(data, partitions, ITEMS / partitions, MPI_INT, 0, 7, MPI_COMM_WORLD,
                                    MPI_INFO_NULL, &request));
        for (int round = 0; round < ROUNDS; round++) {
            if (check_rank == 0)
                send_round(request, data, partitions, round);
            else
                receive_round(request, data, partitions, round);
        }
        CHECK_OK(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
    }
    return check_end();
}
