/* smpi: ranks 8 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/*
 * Neighborhood collectives on grids with borders and with periodic dimensions of 1, 2 and more ranks, in all their
 * forms: what is sent in negative direction arrives from the positive one (section 8.6). MPICH 4.0 gets dimensions of
 * one and two ranks wrong in some of the forms.
 */
#include "../check.h"

enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static void finish(int form, MPI_Request *request)
{
    if (form == NONBLOCKING)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT) {
        for (int round = 0; round < 2; round++) {
            MPI_Start(request);
            MPI_Wait(request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(request);
    }
}

static int value(int rank, int block, int element)
{
    return rank * 1000 + block * 10 + element;
}

static void check_grid(int count, const int *dims, const int *periods)
{
    MPI_Comm cart;
    MPI_Request request;
    int rank, neighbours[8], blocks = 2 * count;
    int send[64], recv[64], counts[8], displs[8];
    MPI_Aint byte_displs[8], recv_displs[8];
    MPI_Datatype types[8];

    MPI_Cart_create(MPI_COMM_WORLD, count, dims, periods, 0, &cart);
    if (cart == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(cart, &rank);
    for (int i = 0; i < count; i++)
        MPI_Cart_shift(cart, i, 1, &neighbours[2 * i], &neighbours[2 * i + 1]);
    for (int i = 0; i < blocks; i++) {
        counts[i] = i / 2 + 1;
        displs[i] = 6 * i;
        byte_displs[i] = 6 * i * (MPI_Aint)sizeof(int);
        recv_displs[i] = 6 * (blocks - 1 - i) * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int form = 0; form < FORMS; form++) {
        int own[2] = {value(rank, 0, 0), value(rank, 0, 1)};
        memset(recv, -1, sizeof recv);
        if (form == BLOCKING)
            CHECK_OK(MPI_Neighbor_allgather(own, 2, MPI_INT, recv, 2, MPI_INT, cart));
        else if (form == NONBLOCKING)
            CHECK_OK(MPI_Ineighbor_allgather(own, 2, MPI_INT, recv, 2, MPI_INT, cart, &request));
        else
            CHECK_OK(MPI_Neighbor_allgather_init(own, 2, MPI_INT, recv, 2, MPI_INT, cart, MPI_INFO_NULL, &request));
        finish(form, &request);
        for (int i = 0; i < blocks; i++) {
            for (int k = 0; k < 2; k++)
                CHECK_INT(recv[2 * i + k], neighbours[i] == MPI_PROC_NULL ? -1 : value(neighbours[i], 0, k));
        }

        int pairs[8];
        for (int i = 0; i < blocks; i++)
            pairs[i] = 2;
        memset(recv, -1, sizeof recv);
        if (form == BLOCKING)
            CHECK_OK(MPI_Neighbor_allgatherv(own, 2, MPI_INT, recv, pairs, displs, MPI_INT, cart));
        else if (form == NONBLOCKING)
            CHECK_OK(MPI_Ineighbor_allgatherv(own, 2, MPI_INT, recv, pairs, displs, MPI_INT, cart, &request));
        else
            CHECK_OK(MPI_Neighbor_allgatherv_init(own, 2, MPI_INT, recv, pairs, displs, MPI_INT, cart, MPI_INFO_NULL,
                                                  &request));
        finish(form, &request);
        for (int i = 0; i < blocks; i++) {
            for (int k = 0; k < 2; k++)
                CHECK_INT(recv[6 * i + k], neighbours[i] == MPI_PROC_NULL ? -1 : value(neighbours[i], 0, k));
            CHECK_INT(recv[6 * i + 2], -1);
        }

        for (int i = 0; i < blocks; i++) {
            for (int k = 0; k < 2; k++)
                send[2 * i + k] = value(rank, i, k);
        }
        memset(recv, -1, sizeof recv);
        if (form == BLOCKING)
            CHECK_OK(MPI_Neighbor_alltoall(send, 2, MPI_INT, recv, 2, MPI_INT, cart));
        else if (form == NONBLOCKING)
            CHECK_OK(MPI_Ineighbor_alltoall(send, 2, MPI_INT, recv, 2, MPI_INT, cart, &request));
        else
            CHECK_OK(MPI_Neighbor_alltoall_init(send, 2, MPI_INT, recv, 2, MPI_INT, cart, MPI_INFO_NULL, &request));
        finish(form, &request);
        for (int i = 0; i < blocks; i++) {
            for (int k = 0; k < 2; k++)
                CHECK_INT(recv[2 * i + k], neighbours[i] == MPI_PROC_NULL ? -1 : value(neighbours[i], i ^ 1, k));
        }

        for (int i = 0; i < blocks; i++) {
            for (int k = 0; k < counts[i]; k++)
                send[6 * i + k] = value(rank, i, k);
        }
        memset(recv, -1, sizeof recv);
        if (form == BLOCKING)
            CHECK_OK(MPI_Neighbor_alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, cart));
        else if (form == NONBLOCKING)
            CHECK_OK(MPI_Ineighbor_alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, cart,
                                             &request));
        else
            CHECK_OK(MPI_Neighbor_alltoallv_init(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, cart,
                                                 MPI_INFO_NULL, &request));
        finish(form, &request);
        for (int i = 0; i < blocks; i++) {
            for (int k = 0; k < counts[i]; k++)
                CHECK_INT(recv[6 * i + k], neighbours[i] == MPI_PROC_NULL ? -1 : value(neighbours[i], i ^ 1, k));
            CHECK_INT(recv[6 * i + counts[i]], -1);
        }

        memset(recv, -1, sizeof recv);
        if (form == BLOCKING)
            CHECK_OK(MPI_Neighbor_alltoallw(send, counts, byte_displs, types, recv, counts, recv_displs, types, cart));
        else if (form == NONBLOCKING)
            CHECK_OK(MPI_Ineighbor_alltoallw(send, counts, byte_displs, types, recv, counts, recv_displs, types, cart,
                                             &request));
        else
            CHECK_OK(MPI_Neighbor_alltoallw_init(send, counts, byte_displs, types, recv, counts, recv_displs, types,
                                                 cart, MPI_INFO_NULL, &request));
        finish(form, &request);
        for (int i = 0; i < blocks; i++) {
            const int *block = &recv[6 * (blocks - 1 - i)];
            for (int k = 0; k < counts[i]; k++)
                CHECK_INT(block[k], neighbours[i] == MPI_PROC_NULL ? -1 : value(neighbours[i], i ^ 1, k));
        }
    }
    MPI_Comm_free(&cart);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_grid(1, (int[]){1}, (int[]){1});
    check_grid(1, (int[]){1}, (int[]){0});
    check_grid(1, (int[]){2}, (int[]){1});
    check_grid(1, (int[]){8}, (int[]){0});
    check_grid(1, (int[]){7}, (int[]){1});
    check_grid(2, (int[]){4, 2}, (int[]){0, 1});
    check_grid(3, (int[]){1, 2, 3}, (int[]){1, 1, 1});
    check_grid(3, (int[]){1, 1, 3}, (int[]){1, 1, 0});
    check_grid(4, (int[]){2, 2, 1, 2}, (int[]){1, 0, 1, 1});
    return check_end();
}
