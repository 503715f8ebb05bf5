/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Comparisons respect the sign of the type: the same bytes order differently as signed and unsigned (MPI 5.0 section 6.9.2).
 * MPICH 4.0.2 deviates: it compares unsigned types as if they were signed. */
#include "../check.h"

#define TEST(c_type, mpi_type, low, high)                                                        \
    do {                                                                                         \
        c_type mine = check_rank == 1 ? (c_type)(high) : (c_type)(low), least, most;             \
        MPI_Allreduce(&mine, &least, 1, mpi_type, MPI_MIN, MPI_COMM_WORLD);                      \
        MPI_Allreduce(&mine, &most, 1, mpi_type, MPI_MAX, MPI_COMM_WORLD);                       \
        CHECK(least == (c_type)(low));                                                           \
        CHECK(most == (c_type)(high));                                                           \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TEST(signed char, MPI_SIGNED_CHAR, -2, 5);
    TEST(unsigned char, MPI_UNSIGNED_CHAR, 5, 254);
    TEST(short, MPI_SHORT, -30000, 4);
    TEST(unsigned short, MPI_UNSIGNED_SHORT, 4, 60000);
    TEST(int, MPI_INT, -2000000000, 7);
    TEST(unsigned, MPI_UNSIGNED, 7, 4000000000u);
    TEST(long, MPI_LONG, -1, 0x7fffffffffffffff);
    TEST(unsigned long, MPI_UNSIGNED_LONG, 1, 0xfffffffffffffffful);
    TEST(long long, MPI_LONG_LONG, -0x7fffffffffffffffll, -5);
    TEST(unsigned long long, MPI_UNSIGNED_LONG_LONG, 3, 0x8000000000000001ull);
    TEST(float, MPI_FLOAT, -1.5f, 0.25f);
    TEST(double, MPI_DOUBLE, -1e300, 1e-300);
    TEST(long double, MPI_LONG_DOUBLE, -3.5L, -3.25L);
    return check_end();
}
