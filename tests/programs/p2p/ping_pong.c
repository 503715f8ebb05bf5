/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A ping-pong of growing messages returns what was sent, and MPI_Wtime does not go backwards. */
#include "../check.h"

int main(int argc, char **argv)
{
    static char data[1 << 18];

    check_begin(&argc, &argv);
    double last = MPI_Wtime();
    for (int size = 1; size <= 1 << 18; size *= 4) {
        for (int round = 0; round < 4; round++) {
            memset(data, check_rank == 0 ? round + 1 : 0, (size_t)size);
            if (check_rank == 0) {
                MPI_Send(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                memset(data, 0, (size_t)size);
                MPI_Recv(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK_INT(data[size - 1], round + 2);
            } else {
                MPI_Recv(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 0; i < size; i++)
                    data[i]++;
                MPI_Send(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
            double now = MPI_Wtime();
            CHECK(now >= last);
            last = now;
        }
    }
    return check_end();
}
