/* As receives_begin_states with 8 workers: it is wrong that the last four come first, which the exploration comes to last of 70
 * sets. Two processes find it as one does. */
/* smpi: ranks 9 */
/* smpi: compile-args -O1 */
/* smpi: verify --jobs 2 */
/* smpi: expect-finding assertion */
/* smpi: expect-incomplete */
/* smpi: expect-states zero=245 */
#define WRONG 0xf0
#include "receives_begin_states.c"
