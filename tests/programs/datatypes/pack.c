/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Different data packed one after the other travel as MPI_PACKED and are unpacked, or received directly by a matching type (MPI 5.0 section 5.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    char buffer[200], text[6] = "";
    int position = 0, count = 0, capacity = 0, part;
    double values[3] = {0, 0, 0};
    MPI_Status status;

    check_begin(&argc, &argv);
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &part);
    capacity += part;
    MPI_Pack_size(3, MPI_DOUBLE, MPI_COMM_WORLD, &part);
    capacity += part;
    MPI_Pack_size(6, MPI_CHAR, MPI_COMM_WORLD, &part);
    capacity += part;
    CHECK(capacity >= 34 && capacity <= (int)sizeof buffer);
    if (check_rank == 0) {
        count = 3;
        values[0] = 1.25, values[1] = 2.5, values[2] = -1;
        MPI_Pack(&count, 1, MPI_INT, buffer, capacity, &position, MPI_COMM_WORLD);
        MPI_Pack(values, count, MPI_DOUBLE, buffer, capacity, &position, MPI_COMM_WORLD);
        MPI_Pack("hello", 6, MPI_CHAR, buffer, capacity, &position, MPI_COMM_WORLD);
        MPI_Send(buffer, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
        position = 0;
        MPI_Pack(values, 3, MPI_DOUBLE, buffer, capacity, &position, MPI_COMM_WORLD);
        MPI_Send(buffer, position, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
    } else {
        int length;
        MPI_Recv(buffer, sizeof buffer, MPI_PACKED, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &length);
        MPI_Unpack(buffer, length, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
        CHECK_INT(count, 3);
        MPI_Unpack(buffer, length, &position, values, count, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Unpack(buffer, length, &position, text, 6, MPI_CHAR, MPI_COMM_WORLD);
        CHECK_INT(position, length);
        CHECK(values[0] == 1.25 && values[1] == 2.5 && values[2] == -1);
        CHECK(strcmp(text, "hello") == 0);
        memset(values, 0, sizeof values);
        MPI_Recv(values, 3, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(values[0] == 1.25 && values[2] == -1);
    }
    return check_end();
}
