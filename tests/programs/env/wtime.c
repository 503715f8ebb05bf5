/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Wtime grows with sleeping and with messages, MPI_Wtick is its positive resolution (MPI 5.0 section 9.6). */
#include "../check.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
    double start = MPI_Wtime();
    usleep(20000);
    double slept = MPI_Wtime() - start;
    CHECK(slept >= 0.0199 && slept < 5);
    /* A loop that only reads the clock ends. */
    start = MPI_Wtime();
    while (MPI_Wtime() - start < 1e-4)
        continue;
    double before = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Wtime() >= before);
    return check_end();
}
