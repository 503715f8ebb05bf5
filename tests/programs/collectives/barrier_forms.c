/* smpi: ranks 3 */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* Nobody leaves a barrier before all have come to it: blocking, nonblocking and persistent ones
 * (MPI 5.0 sections 6.3, 6.12.1 and 6.13.1). One rank after the other comes late. */
#include "../check.h"
#include <unistd.h>

enum { FORMS = 3, LATE_MICROSECONDS = 30000 };

static void barrier(int form, MPI_Request *persistent)
{
    MPI_Request request;

    if (form == 0) {
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    } else if (form == 1) {
        CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Start(persistent));
        CHECK_OK(MPI_Wait(persistent, MPI_STATUS_IGNORE));
    }
}

int main(int argc, char **argv)
{
    MPI_Request persistent;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &persistent));
    for (int form = 0; form < FORMS; form++)
        for (int late = 0; late < check_size; late++) {
            double came, left, last_came, first_left;

            if (check_rank == late)
                usleep(LATE_MICROSECONDS);
            came = MPI_Wtime();
            barrier(form, &persistent);
            left = MPI_Wtime();
            MPI_Allreduce(&came, &last_came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
            CHECK(first_left >= last_came);
        }
    CHECK_OK(MPI_Request_free(&persistent));
    return check_end();
}
