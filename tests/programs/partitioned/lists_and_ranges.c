/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Partitions marked one by one, in a range and in a list; two partitions of the sender are one of the receiver, of which
 * MPI_Parrived tells whether it is there (MPI 5.0 section 4.2). */
#include "../check.h"

enum { PARTS = 6, EACH = 4, ELEMENTS = PARTS * EACH };

static int data[ELEMENTS];

/* What has arrived can be read. */
static void look_at(MPI_Request request, int part)
{
    int arrived = -1;

    CHECK_OK(MPI_Parrived(request, part, &arrived));
    for (int i = part * 2 * EACH; arrived && i < (part + 1) * 2 * EACH; i++)
        CHECK_INT(data[i], 1000 + i);
}

static void go_on(int to)
{
    if (check_rank == to)
        MPI_Recv(NULL, 0, MPI_INT, 1 - to, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_INT, to, 9, MPI_COMM_WORLD);
}

static void round_of(MPI_Request request)
{
    int list[2] = {5, 3};

    for (int i = 0; i < ELEMENTS; i++)
        data[i] = check_rank == 0 ? 1000 + i : -1;
    CHECK_OK(MPI_Start(&request));
    if (check_rank == 0) {
        CHECK_OK(MPI_Pready(2, request));
        CHECK_OK(MPI_Pready_list(2, list, request));
        /* The receiver has seen nothing yet of which a half is missing. */
        go_on(1);
        go_on(0);
        CHECK_OK(MPI_Pready(4, request));
        go_on(0);
        CHECK_OK(MPI_Pready_range(0, 1, request));
    } else {
        int arrived = -1;
        go_on(1);
        for (int part = 0; part < 3; part++) {
            CHECK_OK(MPI_Parrived(request, part, &arrived));
            CHECK_INT(arrived, part == 1 ? arrived : 0);
        }
        go_on(0);
        CHECK_OK(MPI_Parrived(request, 0, &arrived));
        CHECK_INT(arrived, 0);
        go_on(0);
        look_at(request, 0);
        look_at(request, 1);
        look_at(request, 2);
    }
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < ELEMENTS; i++)
        CHECK_INT(data[i], 1000 + i);
}

int main(int argc, char **argv)
{
    MPI_Request request;

    check_begin(&argc, &argv);
    if (check_rank == 0)
        CHECK_OK(MPI_Psend_init(data, PARTS, EACH, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    else
        CHECK_OK(MPI_Precv_init(data, PARTS / 2, 2 * EACH, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    round_of(request);
    round_of(request);
    CHECK_OK(MPI_Request_free(&request));
    return check_end();
}
