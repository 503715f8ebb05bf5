/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Improbe: no match leaves no message; polling finds the message in the end (MPI 5.0 section 3.8.2). */
#include "../check.h"

#define COUNT 50000

int main(int argc, char **argv)
{
    static int values[COUNT];

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < COUNT; i++)
            values[i] = 3 * i;
        MPI_Send(values, COUNT, MPI_INT, 1, 8, MPI_COMM_WORLD);
    } else {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        int flag = 1, length, wrong = 0;

        MPI_Improbe(0, 8, MPI_COMM_WORLD, &flag, &message, &status);
        CHECK_INT(flag, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        while (!flag)
            MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
        CHECK_INT(status.MPI_TAG, 8);
        MPI_Get_count(&status, MPI_INT, &length);
        CHECK_INT(length, COUNT);
        MPI_Mrecv(values, COUNT, MPI_INT, &message, &status);
        for (int i = 0; i < COUNT; i++)
            wrong += values[i] != 3 * i;
        CHECK_INT(wrong, 0);
    }
    return check_end();
}
