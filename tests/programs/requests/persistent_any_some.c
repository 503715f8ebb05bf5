/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Waitany and Waitsome make persistent requests inactive, not null, and ignore inactive ones (MPI 5.0 sections 3.7.5, 3.9). */
#include "../check.h"

#define COUNT 3

int main(int argc, char **argv)
{
    int values[COUNT], index, count, indices[COUNT], total;
    MPI_Request requests[COUNT];

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    for (int i = 0; i < COUNT; i++)
        if (check_rank == 0)
            MPI_Recv_init(&values[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Send_init(&values[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitany(COUNT, requests, &index, MPI_STATUS_IGNORE);
    CHECK_INT(index, MPI_UNDEFINED); /* all are inactive */

    for (int i = 0; i < COUNT; i++)
        values[i] = check_rank == 0 ? -1 : i + 40;
    MPI_Startall(COUNT, requests);
    for (int i = 0; i < COUNT; i++) {
        MPI_Waitany(COUNT, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index < COUNT);
        CHECK_INT(values[index], index + 40);
        CHECK(requests[index] != MPI_REQUEST_NULL);
    }
    MPI_Waitany(COUNT, requests, &index, MPI_STATUS_IGNORE);
    CHECK_INT(index, MPI_UNDEFINED);

    MPI_Start(&requests[2]);
    MPI_Start(&requests[0]);
    for (total = 0; total < 2; total += count) {
        MPI_Waitsome(COUNT, requests, &count, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            CHECK(indices[i] == 0 || indices[i] == 2);
    }
    MPI_Waitsome(COUNT, requests, &count, indices, MPI_STATUSES_IGNORE);
    CHECK_INT(count, MPI_UNDEFINED);
    for (int i = 0; i < COUNT; i++)
        MPI_Request_free(&requests[i]);
    return check_end();
}
