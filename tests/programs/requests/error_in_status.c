/* smpi: ranks 2 */
/* smpi: expect-pass */
/* When one of several requests fails, MPI_Waitall and MPI_Waitsome return MPI_ERR_IN_STATUS and every status says how its request ended (MPI 5.0 section 3.7.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int data[4] = {1, 2, 3, 4}, in[2][4], token = 0, class = -1;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < 2; round++) {
        if (check_rank == 0) {
            MPI_Irecv(in[0], 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(in[1], 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]); /* too short */
            MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (round == 0) {
                CHECK_ERROR(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
                CHECK_INT(statuses[0].MPI_ERROR, MPI_SUCCESS);
                MPI_Error_class(statuses[1].MPI_ERROR, &class);
                CHECK_INT(class, MPI_ERR_TRUNCATE);
                CHECK_INT(statuses[0].MPI_SOURCE, 1);
            } else {
                int done = 0, failed = 0;
                while (done < 2) {
                    int count, indices[2];
                    int code = MPI_Waitsome(2, requests, &count, indices, statuses);
                    int bad = 0;
                    for (int i = 0; i < count; i++)
                        if (indices[i] == 1) {
                            MPI_Error_class(statuses[i].MPI_ERROR, &class);
                            CHECK_INT(class, MPI_ERR_TRUNCATE);
                            bad = 1;
                        } else if (code != MPI_SUCCESS)
                            CHECK_INT(statuses[i].MPI_ERROR, MPI_SUCCESS);
                    MPI_Error_class(code, &class);
                    CHECK_INT(class, bad ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
                    failed += bad;
                    done += count;
                }
                CHECK_INT(failed, 1);
            }
            CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
            CHECK_INT(in[0][3], 4);
        } else {
            MPI_Send(data, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Send(data, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
    }
    return check_end();
}
