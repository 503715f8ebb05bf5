/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: twice */
/* smpi: verified exit-code */
/* MC_random gives every value of its range, the same ones in each run; MC_assert lets true statements pass. */
#include "../check.h"
#include <simgrid/modelchecker.h>

int main(int argc, char **argv)
{
    int i, seen[5] = {0, 0, 0, 0, 0};

    check_begin(&argc, &argv);
    for (i = 0; i < 1000; i++) {
        int value = MC_random(-2, 2);
        MC_assert(value >= -2 && value <= 2);
        seen[value + 2]++;
    }
    for (i = 0; i < 5; i++)
        CHECK(seen[i] > 0);
    CHECK_INT(MC_random(3, 3), 3);
    CHECK_INT(MC_is_active(), 0);
    printf("%d: %d %d %d %d %d\n", check_rank, seen[0], seen[1], seen[2], seen[3], seen[4]);
    return check_end();
}
