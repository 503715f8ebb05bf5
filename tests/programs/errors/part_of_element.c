/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: expect-stderr-contains mpi/type-mismatch */
/* smpi: verified deadlock mpi/type-mismatch */
/* A message that ends within an element of the receive is an error of it: MPI has no number of elements for what
 * arrived (MPI 5.0 section 3.3.1). The next message is intact. MPICH 5.0.2 ends with an internal error. */
#include "../check.h"

static void send_all(void)
{
    char letters[8] = "abcdefg";

    CHECK_OK(MPI_Send(letters, 3, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(letters, 5, MPI_CHAR, 1, 1, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(letters, 7, MPI_CHAR, 1, 2, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(letters, 6, MPI_CHAR, 1, 3, MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(&check_rank, 1, MPI_INT, 1, 4, MPI_COMM_WORLD));
}

static void receive_all(void)
{
    int numbers[4] = {-1, -1, -1, -1}, mine = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    CHECK_ERROR(MPI_Recv(numbers, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK_OK(MPI_Irecv(numbers, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
    CHECK_ERROR(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK_OK(MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, &status));
    CHECK_ERROR(MPI_Mrecv(numbers, 4, MPI_INT, &message, &status), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Sendrecv(&mine, 1, MPI_INT, 1, 9, numbers, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &status),
                MPI_ERR_TYPE);
    CHECK_INT(numbers[2], -1);
    CHECK_OK(MPI_Recv(&mine, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Recv(numbers, 4, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(numbers[0], 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_errors_return();
    if (check_rank == 0)
        send_all();
    else if (check_rank == 1)
        receive_all();
    return check_end();
}
