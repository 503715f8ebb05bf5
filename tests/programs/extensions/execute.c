/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: expect-time 5 tolerance 1e-4 */
/* smpi: verified exit-code */
/* Told computation: on an otherwise idle host, flops take flops / speed, a second of this machine (10 Gflop/s by default)
 * takes 10^10 / speed. The bodies that stand for it are not executed. Rank 0: 1 s + 2 s + 2 s (twice the work of 1 s of
 * the host); rank 1: 5 s by the benched forms. */
#include "../check.h"
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    double begin, speed;
    int executed = 0;

    check_begin(&argc, &argv);
    speed = smpi_get_host_current_power_peak();
    CHECK(speed == smpi_get_host_power_peak_at(0) && speed > 0);
    CHECK_INT(smpi_get_host_nb_pstates(), 1);
    begin = MPI_Wtime();
    if (check_rank == 0) {
        smpi_execute_flops(speed);
        SMPI_SAMPLE_FLOPS(2 * speed) { executed++; }
        SMPI_SAMPLE_DELAY(2 * speed / 1e10) { executed++; }
    } else {
        smpi_execute_flops_benched(3 * speed);
        smpi_execute_benched(2 * speed / 1e10);
    }
    CHECK_INT(executed, 0);
    CHECK(MPI_Wtime() - begin > 5 * (1 - 1e-6) && MPI_Wtime() - begin < 5 * (1 + 1e-6));
    return check_end();
}
