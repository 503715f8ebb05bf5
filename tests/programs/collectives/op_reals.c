/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Sum, product, minimum and maximum of reals; sum and product of complex numbers (MPI 5.0 section 6.9.2). */
#include "../check.h"

#include <complex.h>

#define REAL(c_type, mpi_type)                                                                   \
    do {                                                                                         \
        c_type out[2] = {(c_type)(check_rank + 0.5), (c_type)(2 - check_rank)}, in[2];           \
        MPI_Allreduce(out, in, 2, mpi_type, MPI_SUM, MPI_COMM_WORLD);                            \
        CHECK(in[0] == 8 && in[1] == 2);                                                         \
        MPI_Allreduce(out, in, 2, mpi_type, MPI_PROD, MPI_COMM_WORLD);                           \
        CHECK(in[0] == (c_type)6.5625 && in[1] == 0);                                            \
        MPI_Allreduce(out, in, 2, mpi_type, MPI_MIN, MPI_COMM_WORLD);                            \
        CHECK(in[0] == (c_type)0.5 && in[1] == -1);                                              \
        MPI_Allreduce(out, in, 2, mpi_type, MPI_MAX, MPI_COMM_WORLD);                            \
        CHECK(in[0] == (c_type)3.5 && in[1] == 2);                                               \
    } while (0)

/* The product of 1+0i, 1+1i, 1+2i, 1+3i is -10+0i; all steps are exact. */
#define COMPLEX(c_type, mpi_type)                                                                \
    do {                                                                                         \
        c_type out = 1 + check_rank * I, in;                                                     \
        MPI_Allreduce(&out, &in, 1, mpi_type, MPI_SUM, MPI_COMM_WORLD);                          \
        CHECK(creal(in) == 4 && cimag(in) == 6);                                                 \
        MPI_Allreduce(&out, &in, 1, mpi_type, MPI_PROD, MPI_COMM_WORLD);                         \
        CHECK(creal(in) == -10 && cimag(in) == 0);                                               \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    REAL(float, MPI_FLOAT);
    REAL(double, MPI_DOUBLE);
    REAL(long double, MPI_LONG_DOUBLE);
    COMPLEX(float complex, MPI_C_COMPLEX);
    COMPLEX(float complex, MPI_C_FLOAT_COMPLEX);
    COMPLEX(double complex, MPI_C_DOUBLE_COMPLEX);
    COMPLEX(long double complex, MPI_C_LONG_DOUBLE_COMPLEX);
    return check_end();
}
