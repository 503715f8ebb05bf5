/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Init takes null pointers for argc and argv (MPI 5.0 section 11.2.1). */
#include "../check.h"

int main(void)
{
    check_begin(NULL, NULL);
    CHECK_INT(check_size, 2);
    return check_end();
}
