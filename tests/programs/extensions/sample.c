/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: std c99 */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* Sampled loops: the loop variable takes all its values, the body is executed as often as asked (nothing is measured
 * here, so the number of iterations decides alone), places in the source and tags are kept apart. */
#include "../check.h"
#include <smpi/smpi.h>

static int sampled(int loops, const char *tag)
{
    int executed = 0;
    for (int loop = 0; loop < loops; loop++) {
        SMPI_SAMPLE_LOCAL_TAG(int i = 0, i < 10, i++, 25, -1.0, tag) { executed++; }
    }
    return executed;
}

int main(int argc, char **argv)
{
    int i, executed, all, sum;

    check_begin(&argc, &argv);

    executed = 0;
    SMPI_SAMPLE_LOCAL(i = 0, i < 100, i++, 10, 0.01) {
        executed++;
        if (i % 2 == 0)
            continue;
        executed += 1000;
    }
    CHECK_INT(i, 100);
    CHECK_INT(executed, 5010);

    CHECK_INT(sampled(1, "a"), 10);
    CHECK_INT(sampled(2, "a"), 15); /* 25 in all for this tag */
    CHECK_INT(sampled(1, "a"), 0);
    CHECK_INT(sampled(3, "b"), 25);

    executed = 0;
    SMPI_SAMPLE_GLOBAL(i = 0, i < 100, i++, 10, -1.0) { executed++; }
    CHECK_INT(i, 100);
    MPI_Allreduce(&executed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(all, 10);

    executed = 0;
    sum = 0;
    for (int loop = 0; loop < 2; loop++) {
        SMPI_SAMPLE_LOCAL(i = 0, i < 100, i++, 1000, -1.0) {
            executed++;
            int j;
            SMPI_SAMPLE_LOCAL(j = 0, j < 4, j++, 6, -1.0) { sum++; }
            if (i == 4)
                break;
        }
        CHECK_INT(i, 4);
    }
    CHECK_INT(executed, 10);
    CHECK_INT(sum, 6);

    return check_end();
}
