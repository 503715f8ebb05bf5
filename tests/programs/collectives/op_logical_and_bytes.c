/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Logical operations on MPI_C_BOOL and bitwise operations on MPI_BYTE (MPI 5.0 section 6.9.2). */
#include "../check.h"

#include <stdbool.h>

int main(int argc, char **argv)
{
    bool truth[3], result[3];
    unsigned char byte[2], bytes[2];

    check_begin(&argc, &argv);
    truth[0] = true;
    truth[1] = check_rank == 2;
    truth[2] = false;
    MPI_Allreduce(truth, result, 3, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    CHECK(result[0] && !result[1] && !result[2]);
    MPI_Allreduce(truth, result, 3, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    CHECK(result[0] && result[1] && !result[2]);
    MPI_Allreduce(truth, result, 3, MPI_C_BOOL, MPI_LXOR, MPI_COMM_WORLD);
    CHECK(!result[0] && result[1] && !result[2]);

    byte[0] = (unsigned char)(1 << check_rank);
    byte[1] = (unsigned char)(0xf0 | check_rank);
    MPI_Allreduce(byte, bytes, 2, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    CHECK_INT(bytes[0], 0x0f);
    CHECK_INT(bytes[1], 0xf3);
    MPI_Allreduce(byte, bytes, 2, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD);
    CHECK_INT(bytes[0], 0);
    CHECK_INT(bytes[1], 0xf0);
    MPI_Allreduce(byte, bytes, 2, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    CHECK_INT(bytes[0], 0x0f);
    CHECK_INT(bytes[1], 0);
    return check_end();
}
