/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 134 */
/* smpi: expect-stderr-contains MC_assert(check_rank != 1) does not hold */
/* A false MC_assert ends the run as a failed assert does. */
#include "../check.h"
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MC_assert(check_rank != 1);
    return check_end();
}
