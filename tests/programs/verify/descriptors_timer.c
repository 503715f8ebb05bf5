/* A timer that is open at a choice is not put back, which is said. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains a timer */
#include "parts/choices.h"
#include "parts/texts.h"
#include <sys/timerfd.h>

static void work(int rank)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    assert(timer >= 0);
    receive();
    receive();
    close(timer);
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
