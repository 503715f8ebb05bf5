/* Without buffering, ranks 0 and 1 wait for each other. With buffering, an assertion fails after the first of rank 2's choices,
 * and after the other one rank 1 waits in the same place: the deadlock does not depend on buffering. What it is called does not
 * depend on whether all findings are wanted. */
/* smpi: ranks 3 */
/* smpi: expect-finding deadlock */
/* smpi: expect-finding assertion */
#include "parts/first_key_deadlock.h"
