/* smpi: ranks 4 */
/* smpi: expect-pass */
/* All arithmetic, bitwise and logical operations on every C integer type (MPI 5.0 section 6.9.2). */
#include "../check.h"

#include <stdint.h>

/* Operands of rank r; small enough that no type overflows in a product of four. */
static int operand(int rank, int i)
{
    static const int values[4][3] = {{3, 0, 1}, {1, 2, 3}, {2, 1, 0}, {5, 3, 3}};
    return values[rank][i];
}

static long combine(MPI_Op op, long a, long b)
{
    if (op == MPI_MAX)
        return a > b ? a : b;
    if (op == MPI_MIN)
        return a < b ? a : b;
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_PROD)
        return a * b;
    if (op == MPI_BAND)
        return a & b;
    if (op == MPI_BOR)
        return a | b;
    if (op == MPI_BXOR)
        return a ^ b;
    if (op == MPI_LAND)
        return a && b;
    if (op == MPI_LOR)
        return a || b;
    return !a != !b; /* MPI_LXOR */
}

/* The expected result over all ranks; logical operations see operands as truth values. */
static long expected(MPI_Op op, int i)
{
    int logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
    long result = logical ? operand(0, i) != 0 : operand(0, i);
    for (int rank = 1; rank < 4; rank++)
        result = combine(op, result, logical ? operand(rank, i) != 0 : operand(rank, i));
    return result;
}

#define TEST(c_type, mpi_type)                                                                   \
    do {                                                                                         \
        c_type out[3], in[3];                                                                    \
        for (int o = 0; o < 10; o++) {                                                           \
            for (int i = 0; i < 3; i++)                                                          \
                out[i] = (c_type)operand(check_rank, i);                                         \
            MPI_Allreduce(out, in, 3, mpi_type, ops[o], MPI_COMM_WORLD);                         \
            for (int i = 0; i < 3; i++)                                                          \
                CHECK_INT(in[i], expected(ops[o], i));                                           \
        }                                                                                        \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Op ops[10] = {MPI_MAX,  MPI_MIN, MPI_SUM,  MPI_PROD, MPI_BAND,
                      MPI_BOR,  MPI_BXOR, MPI_LAND, MPI_LOR,  MPI_LXOR};
    TEST(signed char, MPI_SIGNED_CHAR);
    TEST(unsigned char, MPI_UNSIGNED_CHAR);
    TEST(short, MPI_SHORT);
    TEST(unsigned short, MPI_UNSIGNED_SHORT);
    TEST(int, MPI_INT);
    TEST(unsigned, MPI_UNSIGNED);
    TEST(long, MPI_LONG);
    TEST(unsigned long, MPI_UNSIGNED_LONG);
    TEST(long long, MPI_LONG_LONG);
    TEST(long long, MPI_LONG_LONG_INT);
    TEST(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    TEST(int8_t, MPI_INT8_T);
    TEST(int16_t, MPI_INT16_T);
    TEST(int32_t, MPI_INT32_T);
    TEST(int64_t, MPI_INT64_T);
    TEST(uint8_t, MPI_UINT8_T);
    TEST(uint16_t, MPI_UINT16_T);
    TEST(uint32_t, MPI_UINT32_T);
    TEST(uint64_t, MPI_UINT64_T);
    TEST(MPI_Aint, MPI_AINT);
    TEST(MPI_Offset, MPI_OFFSET);
    TEST(MPI_Count, MPI_COUNT);
    return check_end();
}
