/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_MINLOC and MPI_MAXLOC on every pair type; of equal values the lowest index wins (MPI 5.0 section 6.9.4). */
#include "../check.h"

/* Values of ranks 0..4: the least is at rank 3, the greatest at ranks 1 and 4. */
static int value_of(int rank)
{
    static const int values[] = {4, 9, 5, -7, 9};
    return values[rank];
}

#define TEST(c_type, mpi_type)                                                                   \
    do {                                                                                         \
        struct {                                                                                 \
            c_type value;                                                                        \
            int index;                                                                           \
        } out[2], in[2];                                                                         \
        for (int i = 0; i < 2; i++) {                                                            \
            out[i].value = (c_type)value_of(check_rank);                                         \
            out[i].index = check_rank + 10 * i;                                                  \
        }                                                                                        \
        MPI_Allreduce(out, in, 2, mpi_type, MPI_MINLOC, MPI_COMM_WORLD);                         \
        CHECK(in[0].value == -7 && in[0].index == 3);                                            \
        CHECK(in[1].value == -7 && in[1].index == 13);                                           \
        MPI_Allreduce(out, in, 2, mpi_type, MPI_MAXLOC, MPI_COMM_WORLD);                         \
        CHECK(in[0].value == 9 && in[0].index == 1);                                             \
        CHECK(in[1].value == 9 && in[1].index == 11);                                            \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TEST(short, MPI_SHORT_INT);
    TEST(int, MPI_2INT);
    TEST(long, MPI_LONG_INT);
    TEST(float, MPI_FLOAT_INT);
    TEST(double, MPI_DOUBLE_INT);
    TEST(long double, MPI_LONG_DOUBLE_INT);
    return check_end();
}
