/* smpi: ranks 2 */
/* smpi: platform energy_two_values.xml */
/* smpi: smpirun-args --summary --cfg=smpi/wtime:0 */
/* smpi: expect-pass */
/* smpi: expect-time 2 tolerance 1e-5 */
/* smpi: expect-stderr-contains energy: 450.000 J of these hosts */
/* smpi: requires smpi */
/* "100:200" of a host with several cores in SimGrid's XML is its power when idle and with all cores at work; in between it
 * grows from the first. So two seconds of work on one core of four are 2 s of 125 W, and 100 W on the other host; the
 * barrier after it takes microseconds. */
#include "../check.h"
#include <smpi/smpi.h>

int main(int argc, char** argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        smpi_execute_flops(2e9);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("PASS\n");
    MPI_Finalize();
    return 0;
}
