/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-finding non-termination */
/* Nobody sends what a rank polls for, which counts its polls. Where the counter does not matter it goes on for ever: that
 * is known, and not that it may yet give up. */
#define SENDS 0
#include "polls_ignored.c"
