/* The error of a status is not overwritten by a receive (MPI 5.0 §3.2.5): it says here which message came first, when all have
 * come. */
/* smpi: ranks 4 */
/* smpi: compile-args -O1 */
/* smpi: verify --stateful */
/* smpi: expect-finding assertion */
#define AFTER                                  \
    {                                          \
        if (i == 1)                            \
            status.MPI_ERROR = value;          \
        assert(i < 3 || status.MPI_ERROR < 4); \
    }
#include "stateful_status_overwritten.c"
